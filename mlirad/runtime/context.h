// The record of a call, which a program is given and passes on; `lower/native_program.py` says more of it.
#ifndef MLIRAD_CONTEXT_H
#define MLIRAD_CONTEXT_H

#include "attributes.h"
#include "borrowed.h"
#include "generated/constants.h"

typedef struct Job Job;

typedef struct {
    int64_t status;     // why the call ends; 0 while it goes on
    int64_t fuel;       // instructions until the next poll
    uint64_t stack;     // the address down to which the stack may grow; 0 if it is not known yet
    void *thread;       // Python's thread state while its global lock is released
    int64_t deadline;   // the time at which the call ends; 0 before the first poll
    int64_t signals;    // the time of the next look for signals
    int64_t time_limit; // in nanoseconds; 0 without a limit
    Object *failure;    // the first that was reported: an exception
    uint64_t threads;   // how many may work on the call; 0 for as many as usual
    Job *group;         // the parallel loop that is under way
    int64_t mode;       // the caller's mode of floating point
    Borrowed *borrowed; // the arguments whose memory the call works on; null if they are not to be held
} Context;

#define IS_AT(field, word) _Static_assert(offsetof(Context, field) == 8 * (word), #field)
IS_AT(status, STATUS_WORD);
IS_AT(fuel, FUEL_WORD);
IS_AT(stack, STACK_WORD);
IS_AT(thread, THREAD_WORD);
IS_AT(deadline, DEADLINE_WORD);
IS_AT(signals, SIGNALS_WORD);
IS_AT(time_limit, LIMIT_WORD);
IS_AT(failure, FAILURE_WORD);
IS_AT(threads, THREADS_WORD);
IS_AT(group, GROUP_WORD);
IS_AT(mode, MODE_WORD);
IS_AT(borrowed, BORROWED_WORD);
_Static_assert(sizeof(Context) == 8 * CONTEXT_WORDS, "CONTEXT_WORDS");
#undef IS_AT

// Field by field, as `= {0}` may become a call of memset.
static inline void clear_context(Context *context) {
    context->status = 0;
    context->fuel = 0;
    context->stack = 0;
    context->thread = NULL;
    context->deadline = 0;
    context->signals = 0;
    context->time_limit = 0;
    context->failure = NULL;
    context->threads = 0;
    context->group = NULL;
    context->mode = 0;
    context->borrowed = NULL;
}

// Of the host, or of an object file that has none: return the status of the call, which is not 0 if it is to end.
int64_t mlirad_rt_poll(Context *context);

void *mlirad_rt_malloc(uint64_t bytes);
void mlirad_rt_free(void *memory, uint64_t bytes);

#endif
