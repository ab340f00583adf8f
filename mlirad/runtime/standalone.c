// The functions that programs ask of a host, for an object file without one: it has no threads, no signals and no time
// limit. The generated text serves targets with pointers of 32 bits too.

#include "job.h"

INLINED int64_t mlirad_rt_poll(Context *context) { return context->status; }

// Return, and note, the address down to which the stack may grow. The record of the call lies in the frame of the
// function that is called from outside.
INTERNAL int64_t mlirad_rt_stack_limit(Context *context) {
    context->stack = (uint64_t)(uintptr_t)context - STANDALONE_STACK_BYTES;
    return (int64_t)context->stack;
}

INTERNAL int64_t mlirad_rt_parallel(
    Context *context, Task *run, void *env, uint64_t tasks, void *scratch, uint64_t scratch_bytes) {
    (void)scratch_bytes;
    for (uint64_t task = 0; task < tasks && !context->status; task++)
        run(env, task, scratch, context);
    return context->status;
}

// Note the code of a failure that is reported, if it is the first. The call goes on, as it does under Python.
INTERNAL int64_t mlirad_note_failure(Context *context, int64_t code) {
    int64_t *failure = (int64_t *)context + FAILURE_WORD;
    if (!*failure)
        *failure = code;
    return 0;
}
