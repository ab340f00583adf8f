// Memory of large results: blocks of results that are gone are kept for results of the same size to come;
// `jit/result_memory.py` says why. NumPy calls these functions under Python's global lock. Whoever finds another in
// them goes past them, so that they are right without it too.

#include <stdatomic.h>

#include "attributes.h"
#include "generated/constants.h"

// NumPy's structure of memory functions, and what is in it.
typedef struct {
    void *context;
    void *(*malloc)(void *context, uint64_t bytes);
    void *(*calloc)(void *context, uint64_t count, uint64_t bytes);
    void *(*realloc)(void *context, void *memory, uint64_t bytes);
    void (*free)(void *context, void *memory, uint64_t bytes);
} Allocator;

typedef struct {
    char name[127];
    uint8_t version;
    Allocator allocator;
} Handler;

_Static_assert(offsetof(Handler, allocator) == LAYOUT_HANDLER_FUNCTIONS, "HANDLER_FUNCTIONS");

// NumPy's own.
extern const Allocator mlirad_numpy_allocator;

typedef struct {
    void *memory; // null if there is none
    uint64_t bytes;
} Block;

// How many bytes are kept.
uint64_t mlirad_kept_bytes;

static Block blocks[RESULTS_SLOTS];
static uint64_t oldest; // where the next block goes: what is there is the oldest, as they are put in a circle
static _Atomic(int64_t) is_busy;

static bool enters(void) {
    int64_t nobody = 0;
    return atomic_compare_exchange_strong_explicit(
        &is_busy, &nobody, 1, memory_order_acquire, memory_order_relaxed);
}

static void leave(void) { atomic_store_explicit(&is_busy, 0, memory_order_release); }

static void *taken(Block *block) {
    void *memory = block->memory;
    mlirad_kept_bytes -= block->bytes;
    block->memory = NULL;
    block->bytes = 0;
    return memory;
}

static OUT_OF_LINE void *take_kept(uint64_t bytes) {
    for (uint64_t k = 0; k < RESULTS_SLOTS; k++)
        if (blocks[k].bytes == bytes)
            return taken(&blocks[k]);
    return NULL;
}

static void *take(void *context, uint64_t bytes) {
    (void)context;
    if (bytes >= RESULTS_LARGE_BYTES && enters()) {
        void *kept = take_kept(bytes);
        leave();
        if (kept)
            return kept;
    }
    return mlirad_numpy_allocator.malloc(mlirad_numpy_allocator.context, bytes);
}

static void *take_zeros(void *context, uint64_t count, uint64_t bytes) {
    (void)context;
    return mlirad_numpy_allocator.calloc(mlirad_numpy_allocator.context, count, bytes);
}

static void *resize(void *context, void *memory, uint64_t bytes) {
    (void)context;
    return mlirad_numpy_allocator.realloc(mlirad_numpy_allocator.context, memory, bytes);
}

static void give_to_numpy(void *memory, uint64_t bytes) {
    mlirad_numpy_allocator.free(mlirad_numpy_allocator.context, memory, bytes);
}

// Keep a block in the place of the oldest. As many of the next ones are given back as are too many with it.
static OUT_OF_LINE void keep(void *memory, uint64_t bytes) {
    bool is_kept = false;
    while (!is_kept) {
        Block *block = &blocks[oldest];
        const uint64_t dropped = block->bytes;
        if (block->memory)
            give_to_numpy(taken(block), dropped);
        is_kept = mlirad_kept_bytes + bytes <= RESULTS_KEPT_BYTES;
        if (is_kept) {
            block->memory = memory;
            block->bytes = bytes;
            mlirad_kept_bytes += bytes;
        }
        oldest = (oldest + 1) % RESULTS_SLOTS;
    }
}

static void give_back(void *context, void *memory, uint64_t bytes) {
    (void)context;
    if (bytes < RESULTS_LARGE_BYTES || bytes > RESULTS_KEPT_BYTES || !enters()) {
        give_to_numpy(memory, bytes);
        return;
    }
    keep(memory, bytes);
    leave();
}

const Handler mlirad_results = {"mlirad results", 1, {NULL, take, take_zeros, resize, give_back}};
