// Memory that programs allocate while they run: chunks of records and of tapes, scratch of threads. Freed
// memory is kept for calls to come; `jit/kept_memory.py` says why.

#include "kept_blocks.h"

void *mlirad_c_malloc(uint64_t bytes);
void mlirad_c_free(void *memory);

// The memory that is kept. The first word says how many bytes.
Keeper mlirad_kept_records;

static void give_to_c(void *memory, uint64_t bytes) {
    (void)bytes;
    mlirad_c_free(memory);
}

// Return new memory, or null if there is no memory left.
void *mlirad_rt_malloc(uint64_t bytes) {
    void *kept = bytes < LARGE_RECORD_BYTES ? NULL : take_kept(&mlirad_kept_records, bytes);
    void *memory = kept ? kept : mlirad_c_malloc(bytes);
    if (UNLIKELY(!memory) && give_all_back(&mlirad_kept_records, give_to_c))
        memory = mlirad_c_malloc(bytes);
    return memory;
}

// Give back memory for which as many bytes were asked.
void mlirad_rt_free(void *memory, uint64_t bytes) {
    if (bytes < LARGE_RECORD_BYTES)
        give_to_c(memory, bytes);
    else if (memory)
        keep(&mlirad_kept_records, memory, bytes, give_to_c);
}
