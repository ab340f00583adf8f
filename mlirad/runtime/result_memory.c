// Memory of large results: blocks of results that are gone are kept for results of the same size to come;
// `jit/kept_memory.py` says why. NumPy calls these functions under Python's global lock.

#include "kept_blocks.h"

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

// The memory that is kept. The first word says how many bytes.
Keeper mlirad_kept_results;

static void give_to_numpy(void *memory, uint64_t bytes) {
    mlirad_numpy_allocator.free(mlirad_numpy_allocator.context, memory, bytes);
}

static void *take(void *context, uint64_t bytes) {
    (void)context;
    void *kept = bytes < LARGE_RESULT_BYTES ? NULL : take_kept(&mlirad_kept_results, bytes);
    void *memory = kept ? kept : mlirad_numpy_allocator.malloc(mlirad_numpy_allocator.context, bytes);
    if (UNLIKELY(!memory) && give_all_back(&mlirad_kept_results, give_to_numpy))
        memory = mlirad_numpy_allocator.malloc(mlirad_numpy_allocator.context, bytes);
    return memory;
}

static void *take_zeros(void *context, uint64_t count, uint64_t bytes) {
    (void)context;
    return mlirad_numpy_allocator.calloc(mlirad_numpy_allocator.context, count, bytes);
}

static void *resize(void *context, void *memory, uint64_t bytes) {
    (void)context;
    return mlirad_numpy_allocator.realloc(mlirad_numpy_allocator.context, memory, bytes);
}

static void give_back(void *context, void *memory, uint64_t bytes) {
    (void)context;
    if (bytes < LARGE_RESULT_BYTES)
        give_to_numpy(memory, bytes);
    else
        keep(&mlirad_kept_results, memory, bytes, give_to_numpy);
}

const Handler mlirad_results = {"mlirad results", 1, {NULL, take, take_zeros, resize, give_back}};
