// The chunk store beside a model, an array of the addresses that it gave out, under random use.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chunk_store.c"

enum { RUNS = 300, STEPS = 400, MOST = STEPS };

static unsigned allocations_left;

void *mlirad_rt_malloc(uint64_t bytes) { return allocations_left-- ? malloc(bytes) : (allocations_left = 0, NULL); }
void mlirad_rt_free(void *memory, uint64_t bytes) {
    (void)bytes;
    free(memory);
}

static void expect(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void walk(Store *store, char **records, unsigned count, uint64_t size) {
    Cursor cursor;
    mlirad_store_first(store, &cursor);
    for (unsigned k = 0; k < count; k++) {
        char *record = mlirad_store_next(&cursor, size);
        expect(record == records[k], "a record forwards");
        for (uint64_t i = 0; i < size; i++)
            expect(record[i] == (char)k, "its bytes");
    }
    mlirad_store_last(store, &cursor);
    for (unsigned k = count; k-- > 0;)
        expect(mlirad_store_back(&cursor, size) == records[k], "a record backwards");
}

static void run(void) {
    static char *records[MOST];
    const uint64_t size = 8 * (1 + (uint64_t)rand() % (rand() % 8 ? 20 : 2000));
    unsigned count = 0, marked = 0;
    Store store = {0};
    Mark mark;
    allocations_left = rand() % 4 ? 1000 : (unsigned)rand() % 6;
    mlirad_store_mark(&store, &mark);
    for (unsigned step = 0; step < STEPS; step++) {
        const int choice = rand() % 100;
        if (choice < 94) {
            if (mlirad_store_is_full(&store, size))
                mlirad_store_grow(&store, size);
            if (mlirad_store_is_full(&store, size))
                break;
            records[count] = mlirad_store_push(&store, size);
            memset(records[count], (int)count, size);
            count++;
            expect(mlirad_store_holds(&store, records[rand() % count], size), "a record is held");
            expect(!mlirad_store_holds(&store, records[count - 1] + 8, size), "nothing is behind the last");
        } else if (choice < 96) {
            mlirad_store_mark(&store, &mark);
            marked = count;
        } else if (choice < 98) {
            mlirad_store_reset(&store, &mark);
            count = marked;
        } else if (choice < 99) {
            mlirad_store_clear(&store);
            mlirad_store_mark(&store, &mark);
            count = marked = 0;
        } else {
            walk(&store, records, count, size);
        }
    }
    walk(&store, records, count, size);
    mlirad_store_release(&store);
}

int main(int count, char **arguments) {
    srand(count > 1 ? (unsigned)atoi(arguments[1]) : 1);
    for (int k = 0; k < RUNS; k++)
        run();
    return 0;
}
