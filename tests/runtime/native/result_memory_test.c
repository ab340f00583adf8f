// The memory of large results with an allocator that counts: no block is lost, given twice or too small.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result_memory.c"

enum { STEPS = 20000, ALIVE = 48, SIZES = 6 };

static uint64_t live;

static void expect(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void *own_malloc(void *context, uint64_t bytes) {
    expect(context == &live, "NumPy's context");
    live++;
    uint64_t *memory = malloc(64); // the first word has the size that is stated
    *memory = bytes;
    return memory;
}

static void *own_calloc(void *context, uint64_t count, uint64_t bytes) { return own_malloc(context, count * bytes); }

static void *own_realloc(void *context, void *memory, uint64_t bytes) {
    expect(context == &live, "NumPy's context");
    *(uint64_t *)memory = bytes;
    return memory;
}

static void own_free(void *context, void *memory, uint64_t bytes) {
    expect(context == &live && *(uint64_t *)memory == bytes, "the size of what is given back");
    live--;
    free(memory);
}

const Allocator mlirad_numpy_allocator = {&live, own_malloc, own_calloc, own_realloc, own_free};

int main(int count, char **arguments) {
    static struct {
        uint64_t *memory;
        uint64_t bytes;
    } alive[ALIVE];
    const uint64_t sizes[SIZES] = {
        100, LARGE_RESULT_BYTES, LARGE_RESULT_BYTES + 8, KEPT_BYTES / 3, KEPT_BYTES,
        KEPT_BYTES + 1};
    const Allocator *results = &mlirad_results.allocator;
    srand(count > 1 ? (unsigned)atoi(arguments[1]) : 1);
    for (int step = 0; step < STEPS; step++) {
        const int k = rand() % ALIVE;
        if (alive[k].memory) {
            expect(*alive[k].memory == alive[k].bytes, "a block is that of one result alone");
            results->free(results->context, alive[k].memory, alive[k].bytes);
            alive[k].memory = NULL;
        } else {
            const uint64_t bytes = sizes[rand() % SIZES];
            alive[k].bytes = bytes;
            alive[k].memory = rand() % 8 ? results->malloc(results->context, bytes)
                                         : results->calloc(results->context, 1, bytes);
            expect(*alive[k].memory == bytes, "the size of a block");
            if (rand() % 8 == 0) {
                alive[k].bytes = bytes + 16;
                alive[k].memory = results->realloc(results->context, alive[k].memory, bytes + 16);
            }
        }
        uint64_t used = 0, kept = 0, blocks_kept = 0, in_bins = 0;
        for (int i = 0; i < ALIVE; i++)
            used += alive[i].memory != NULL;
        for (Block *block = mlirad_kept_results.all.newest; block; block = block->all.older) {
            kept += block->bytes;
            blocks_kept++;
        }
        for (int bin = 0; bin < BINS; bin++)
            for (Block *block = mlirad_kept_results.bins[bin].oldest; block; block = block->bin.newer)
                in_bins++;
        expect(blocks_kept == in_bins, "a block is in both of its lists");
        expect(kept == mlirad_kept_results.bytes && kept <= KEPT_BYTES, "how much is kept");
        expect(live == used + blocks_kept, "no block is lost");
    }
    for (int k = 0; k < ALIVE; k++)
        if (alive[k].memory)
            results->free(results->context, alive[k].memory, alive[k].bytes);
    for (Block *block = mlirad_kept_results.all.newest, *older; block; block = older) {
        older = block->all.older;
        free(block);
    }
    return strcmp(mlirad_results.name, "mlirad results");
}
