// The description of guards that `jit/guards.py` writes, four words each; `jit/guard_kinds.py` says which.
#ifndef MLIRAD_GUARDS_H
#define MLIRAD_GUARDS_H

#include "objects.h"

typedef struct {
    Object *dtype;
    int64_t flags;
    int64_t rank;
    const int64_t *shape;
    const void *copy; // of its elements
    uint64_t bytes;   // to be compared
} ExpectedArray;

typedef struct {
    int64_t kind;
    union { // where to look
        Object *object;
        Object *const *word;
        const List *list;
        const Array *array;
        const uint32_t *version; // of a class
    };
    union { // what for
        Object *name;
        Object *const *items;
        const ExpectedArray *elements;
        const uint64_t *expected_version;
    };
    union { // what is expected
        Object *expected;
        int64_t length;
        Object *function; // that says whether a class with another version is still the same
    };
} Guard;

_Static_assert(sizeof(Guard) == 8 * GUARD_WORDS, "Guard");

// Return whether all guards hold. Nothing is owned after that, and no Python exception is set.
INTERNAL bool mlirad_guards(const Guard *guards, int64_t count);

// Return whether an array has a dtype, a rank, a shape, and of the flags in `mask` those in `flags`.
INTERNAL bool mlirad_same_array(
    const Array *array, const Object *dtype, int64_t rank, const int64_t *shape, int mask, int flags);

#endif
