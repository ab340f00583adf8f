// The memory of records in four threads: no block is lost, or given to two, and what is kept is bounded.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "record_memory.c"

enum { STEPS = 20000, ALIVE = 48, SIZES = 5, THREADS = 4 };

static _Atomic(uint64_t) live;

static void expect(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

// Less than is kept can be in use beside: calls find no memory, and have to make do with what is kept.
static _Thread_local bool is_scarce;

void *mlirad_c_malloc(uint64_t bytes) {
    (void)bytes;
    if (is_scarce) {
        is_scarce = false;
        return NULL;
    }
    live++;
    return malloc(sizeof(Block));
}

void mlirad_c_free(void *memory) {
    live--;
    free(memory);
}

static const uint64_t sizes[SIZES] = {
    100, LARGE_RECORD_BYTES, 2 * LARGE_RECORD_BYTES, KEPT_BYTES / 3, KEPT_BYTES + 1};

typedef struct {
    uint64_t *memory;
    uint64_t bytes;
} Held;

static void *run(void *argument) {
    unsigned seed = *(const unsigned *)argument;
    Held alive[ALIVE] = {{NULL, 0}};
    for (int step = 0; step < STEPS + ALIVE; step++) {
        Held *held = &alive[step < STEPS ? rand_r(&seed) % ALIVE : step - STEPS];
        if (held->memory) {
            expect(*held->memory == (uint64_t)(uintptr_t)held, "a block has one owner");
            mlirad_rt_free(held->memory, held->bytes);
            held->memory = NULL;
        } else if (step < STEPS) {
            held->bytes = sizes[rand_r(&seed) % SIZES];
            is_scarce = rand_r(&seed) % 64 == 0;
            held->memory = mlirad_rt_malloc(held->bytes);
            is_scarce = false;
            if (held->memory) // or another thread is in the keeper, or it is empty
                *held->memory = (uint64_t)(uintptr_t)held;
        }
    }
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    for (int k = 0; k < THREADS; k++) {
        seeds[k] = (count > 1 ? (unsigned)atoi(arguments[1]) : 1) + (unsigned)k;
        pthread_create(&threads[k], NULL, run, &seeds[k]);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    uint64_t kept = 0, blocks = 0;
    for (Block *block = mlirad_kept_records.all.newest, *older; block; block = older) {
        older = block->all.older;
        kept += block->bytes;
        blocks++;
        free(block);
    }
    expect(kept == mlirad_kept_records.bytes && kept <= KEPT_BYTES, "how much is kept");
    expect(blocks == live, "no block is lost");
    return 0;
}
