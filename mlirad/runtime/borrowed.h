// The arguments of a call, whose memory it works on.
#ifndef MLIRAD_BORROWED_H
#define MLIRAD_BORROWED_H

#include "objects.h"

typedef struct {
    Object *const *arguments;
    int64_t count;
    int64_t are_held;     // whether there are references to them
    Object *references[]; // weak ones, made before Python code may run: NumPy resizes no array that has some
} Borrowed;

_Static_assert(offsetof(Borrowed, arguments) == 8 * BORROWED_ARGUMENTS, "BORROWED_ARGUMENTS");
_Static_assert(offsetof(Borrowed, count) == 8 * BORROWED_COUNT, "BORROWED_COUNT");
_Static_assert(offsetof(Borrowed, are_held) == 8 * BORROWED_HELD, "BORROWED_HELD");
_Static_assert(offsetof(Borrowed, references) == 8 * BORROWED_REFERENCES, "BORROWED_REFERENCES");

#endif
