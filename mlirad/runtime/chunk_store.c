// The chunk store: memory that a program allocates while it runs, as records one after the other in chunks that
// never move. `lower/cpu/emit/chunk_store.py` writes the calls.
//
// Code that runs for every record is inlined and touches the store only by loads and stores, so the words of
// a store on the stack stay in registers. For the same reason functions out of line take and return the words by value.
//
// The generated text serves targets with pointers of 32 bits too: sizes are uint64_t, and every field has 8 bytes.

#include "attributes.h"

#define FIELD(type, name)     \
    union {                   \
        uint64_t name##_word; \
        type name;            \
    }

typedef struct Chunk Chunk;

struct Chunk {
    FIELD(Chunk *, previous);
    FIELD(Chunk *, next);
    FIELD(char *, end);
    FIELD(char *, filled); // where its last record ends, set when the store goes on to another chunk
};

// Four zeros are an empty store.
typedef struct {
    FIELD(Chunk *, chunk); // in use; null if there are no records
    FIELD(char *, top);      // the first free byte of it
    FIELD(char *, end);
    FIELD(Chunk *, first);
} Store;

// The records that a store holds at some time.
typedef struct {
    FIELD(Chunk *, chunk);
    FIELD(char *, top);
    FIELD(char *, end);
} Mark;

// A place between two records.
typedef struct {
    FIELD(Chunk *, chunk);
    FIELD(char *, at);
} Cursor;

enum { FIRST_CHUNK_BYTES = 4096 };

void *mlirad_rt_malloc(uint64_t bytes);
void mlirad_rt_free(void *memory, uint64_t bytes);

static char *records_of(Chunk *chunk) { return (char *)(chunk + 1); }

static uint64_t distance(const char *from, const char *to) { return (uintptr_t)to - (uintptr_t)from; }

// Return whether a record of `size` bytes needs another chunk.
INLINED bool mlirad_store_is_full(const Store *store, uint64_t size) {
    return size > distance(store->top, store->end);
}

// Return a new record; there must be room for it in the chunk in use.
INLINED void *mlirad_store_push(Store *store, uint64_t size) {
    char *record = store->top;
    store->top = record + size;
    return record;
}

// Return a chunk between two others, which may be null, or null if there is no memory for it.
static Chunk *new_chunk(uint64_t bytes, Chunk *previous, Chunk *next) {
    Chunk *chunk = mlirad_rt_malloc(bytes);
    if (!chunk)
        return NULL;
    chunk->previous = previous;
    chunk->next = next;
    chunk->end = (char *)chunk + bytes;
    if (next)
        next->previous = chunk;
    if (previous)
        previous->next = chunk;
    return chunk;
}

static Store store_of(Chunk *chunk, char *top, char *end, Chunk *first) {
    return (Store){.chunk = chunk, .top = top, .end = end, .first = first};
}

static OUT_OF_LINE COLD Store grown(Chunk *chunk, char *top, char *end, Chunk *first, uint64_t size) {
    uint64_t least = FIRST_CHUNK_BYTES;
    Chunk *following = first;
    if (chunk) {
        chunk->filled = top;
        following = chunk->next;
        least = 2 * distance((char *)chunk, end);
    }
    if (!following || size > distance(records_of(following), following->end)) {
        uint64_t needed = 2 * size + sizeof(Chunk);
        following = new_chunk(needed > least ? needed : least, chunk, following);
        if (!following)
            return store_of(chunk, top, end, first);
        if (!chunk)
            first = following;
    }
    return store_of(following, records_of(following), following->end, first);
}

// Go on to a chunk with room for a record of `size` bytes. Change nothing if there is no memory for one.
INLINED void mlirad_store_grow(Store *store, uint64_t size) {
    const Store words = grown(store->chunk, store->top, store->end, store->first, size);
    // A copy of the whole structure would be a call of memcpy.
    store->chunk = words.chunk;
    store->top = words.top;
    store->end = words.end;
    store->first = words.first;
}

INLINED void mlirad_store_mark(const Store *store, Mark *mark) {
    mark->chunk = store->chunk;
    mark->top = store->top;
    mark->end = store->end;
}

// Forget the records pushed since `mark` was made, and keep their memory.
INLINED void mlirad_store_reset(Store *store, const Mark *mark) {
    store->chunk = mark->chunk;
    store->top = mark->top;
    store->end = mark->end;
}

// Forget all records, and keep their memory.
INLINED void mlirad_store_clear(Store *store) {
    store->chunk = NULL;
    store->top = NULL;
    store->end = NULL;
}

static OUT_OF_LINE void free_chunks(Chunk *first) {
    for (Chunk *chunk = first, *next; chunk; chunk = next) {
        next = chunk->next;
        mlirad_rt_free(chunk, distance((char *)chunk, chunk->end));
    }
}

// Give all memory back.
INLINED void mlirad_store_release(Store *store) { free_chunks(store->first); }

static bool lies_between(const char *start, const char *end, const char *record, uint64_t size) {
    return record >= start && record <= end && distance(record, end) >= size;
}

// Return whether `size` bytes at `record` lie in records of one chunk.
INTERNAL OUT_OF_LINE bool mlirad_store_holds(const Store *store, const char *record, uint64_t size) {
    if (!store->chunk)
        return false;
    for (Chunk *chunk = store->first; chunk != store->chunk; chunk = chunk->next)
        if (lies_between(records_of(chunk), chunk->filled, record, size))
            return true;
    return lies_between(records_of(store->chunk), store->top, record, size);
}

// Put a cursor before the first record.
INLINED void mlirad_store_first(const Store *store, Cursor *cursor) {
    cursor->chunk = store->first;
    cursor->at = store->first ? records_of(store->first) : NULL;
}

// Put a cursor behind the last record.
INLINED void mlirad_store_last(const Store *store, Cursor *cursor) {
    cursor->chunk = store->chunk;
    cursor->at = store->top;
}

// Return the next record, which must exist. All records of the store have `size` bytes.
INLINED void *mlirad_store_next(Cursor *cursor, uint64_t size) {
    char *record = cursor->at;
    if (UNLIKELY(size > distance(record, cursor->chunk->end))) {
        cursor->chunk = cursor->chunk->next;
        record = records_of(cursor->chunk);
    }
    cursor->at = record + size;
    return record;
}

// Return the record before, which must exist.
INLINED void *mlirad_store_back(Cursor *cursor, uint64_t size) {
    char *end = cursor->at;
    if (UNLIKELY(end == records_of(cursor->chunk))) {
        cursor->chunk = cursor->chunk->previous;
        end = cursor->chunk->filled;
    }
    cursor->at = end - size;
    return cursor->at;
}
