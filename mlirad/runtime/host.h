// The code that runs around a compiled program.
#ifndef MLIRAD_HOST_H
#define MLIRAD_HOST_H

#include "context.h"

typedef void Program(void **buffers, void *arena, Context *context);

// Run a program: return 0, or -1 with a Python exception set. `time_limit` is in nanoseconds, 0 for none, `threads` may
// be 0 for as many as usual. Python's global lock is released at once if the call `releases` it, otherwise by the first
// poll; the arguments are held from the beginning if the call `holds` them, otherwise before Python may run.
int mlirad_call(Program *program, void **buffers, void *arena, int64_t releases, int64_t time_limit, int64_t threads,
    Borrowed *borrowed, int64_t holds);

#endif
