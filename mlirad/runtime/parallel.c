// The function that programs call for a parallel loop. Its tasks run one after another where the call has one
// thread, or is itself part of a parallel loop. All others go to the pool (`pool.c`), which is made when a
// call may have several threads.

#include "job.h"

// The number of threads that work on calls that state no number.
extern _Atomic(uint64_t) mlirad_usual_threads;

// The pool's function, null until there is a pool.
extern _Atomic(Share *) mlirad_pool;

// Run the tasks 0 ... tasks - 1, and return the status of the call.
int64_t mlirad_rt_parallel(
    Context *context, Task *run, void *env, uint64_t tasks, void *scratch, uint64_t scratch_bytes) {
    const uint64_t usual = atomic_load_explicit(&mlirad_usual_threads, memory_order_relaxed);
    const uint64_t threads = context->threads ? context->threads : usual;
    Share *share = atomic_load_explicit(&mlirad_pool, memory_order_acquire);
    if (share && threads > 1 && tasks > 1 && !context->group)
        return share(context, run, env, tasks, scratch, scratch_bytes, threads);
    for (uint64_t task = 0; task < tasks; task++) {
        run(env, task, scratch, context);
        if (context->status || mlirad_rt_poll(context))
            break;
    }
    return context->status;
}
