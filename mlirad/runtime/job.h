// A parallel loop: what it runs, and how far it has come.
#ifndef MLIRAD_JOB_H
#define MLIRAD_JOB_H

#include <stdatomic.h>

#include "context.h"

// One task of a loop. `scratch` is memory of the thread that runs it.
typedef void Task(void *env, uint64_t task, void *scratch, Context *context);

typedef void *Lock;

// It lies on the stack of the call.
struct Job {
    Task *run;
    void *env;
    uint64_t tasks;
    _Atomic(uint64_t) next;    // the first task that nobody has taken
    _Atomic(int64_t) status;   // why the call ends; 0 while it goes on
    _Atomic(uint64_t) running; // workers that are not done, and CALL_WAITS where the call waits for the last
    uint64_t scratch_bytes;
    int64_t mode; // of floating point
    int64_t deadline;
    Lock done; // the last worker releases it
};

typedef int64_t Share(
    Context *context, Task *run, void *env, uint64_t tasks, void *scratch, uint64_t bytes, uint64_t threads);

#endif
