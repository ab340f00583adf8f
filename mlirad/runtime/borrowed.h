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

#endif
