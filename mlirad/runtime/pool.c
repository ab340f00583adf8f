// The pool of worker threads, among which a program shares the tasks of a parallel loop.
//
// Whoever is free takes the next task, the calling thread too, so a call never depends on a worker. The
// result of a task does not depend on who runs it, and results do not depend on the number of threads.
//
// Workers are threads of the system, made by the functions of CPython's interface for C that need neither its global
// lock nor a thread state, so they are the same on every system. A worker belongs to one call at a time: a call
// takes those that are idle in the first n - 1 places, starts those that are missing there, and gives them back at
// its end; it waits for those alone that have begun. So there are never more workers than the largest number of
// threads asked for, less one; calls of several threads share them, and one that finds none runs its tasks itself.
//
// Two locks per worker are used as binary semaphores: `wake`, on which it sleeps, and `done`, on which the call may
// wait for the last of its workers. Both sides look for a few microseconds before they sleep.
//
// When a call is to end, its status is noted in the job; whoever works for it sees it when it polls or asks for a
// task.

#include "job.h"
#include "system.h"

enum {
    MOST_WORKERS = MOST_THREADS - 1,
    SPINS = 400,                  // looks before a thread sleeps, with a pause between: some ten microseconds
    WAIT_MICROSECONDS = 50000,    // until a call that waits looks for signals and the time limit again
    KEPT_SCRATCH_BYTES = 1 << 24, // up to which a worker keeps its scratch memory for the next job
    SCRATCH_ALIGNMENT = 64,
};

#define CALL_WAITS (UINT64_C(1) << 32)

// Of a place in the pool.
typedef enum { EMPTY, IDLE, TAKEN } State;

// A place in the pool, of two cache lines, as processors fetch pairs of them.
typedef struct {
    _Alignas(128) _Atomic(uint64_t) state;
    Lock wake;
    Lock done;
    _Atomic(Job *) job;       // left for the worker
    _Atomic(Job *) owner;     // the job of the call that has taken it
    _Atomic(uint64_t) sleeps; // whether it waits for `wake`
    char *scratch;
    uint64_t scratch_bytes;
    _Atomic(uint64_t) thread; // the system's number of its last thread
} Worker;

_Static_assert(sizeof(Worker) == 128, "Worker");

static Worker workers[MOST_WORKERS];

// Left for a worker that is to end.
static Job quit;

// Since the process began: loops that ran here, their tasks, those of these that workers ran, workers started.
_Atomic(uint64_t) mlirad_pool_loops;
_Atomic(uint64_t) mlirad_pool_tasks;
_Atomic(uint64_t) mlirad_pool_worker_tasks;
_Atomic(uint64_t) mlirad_pool_starts;

Lock PyThread_allocate_lock(void);
int PyThread_acquire_lock(Lock lock, int waits);
int PyThread_acquire_lock_timed(Lock lock, int64_t microseconds, int is_interruptible);
void PyThread_release_lock(Lock lock);

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void add(_Atomic(uint64_t) *counter, uint64_t number) {
    atomic_fetch_add_explicit(counter, number, memory_order_relaxed);
}

// Tasks ---------------------------------------------------------------------------------------------------------------

static void note_status(Job *job, int64_t status) {
    int64_t none = 0;
    atomic_compare_exchange_strong_explicit(
        &job->status, &none, status, memory_order_relaxed, memory_order_relaxed);
}

// Run tasks as long as there are any and the call is to go on. Return how many this thread has run.
static OUT_OF_LINE uint64_t work(Job *job, void *scratch, Context *context) {
    for (uint64_t count = 1;; count++) {
        const uint64_t task = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (task >= job->tasks)
            return count - 1;
        job->run(job->env, task, scratch, context);
        if (context->status || mlirad_rt_poll(context)) {
            note_status(job, context->status);
            return count;
        }
    }
}

// Workers -------------------------------------------------------------------------------------------------------------

// Leave a job for a worker, and wake it if it sleeps.
static OUT_OF_LINE void leave_job(Worker *worker, Job *job) {
    atomic_store_explicit(&worker->job, job, memory_order_seq_cst);
    if (atomic_exchange_explicit(&worker->sleeps, 0, memory_order_seq_cst))
        PyThread_release_lock(worker->wake);
}

static bool finds_job_soon(Worker *worker) {
    for (uint64_t k = 0; k < SPINS; k++) {
        if (atomic_load_explicit(&worker->job, memory_order_seq_cst))
            return true;
        mlirad_pause();
    }
    return false;
}

// Sleep until a job is left. Where one is left at the same time, whoever takes the flag decides whether to wake.
static void sleep_until_woken(Worker *worker) {
    atomic_store_explicit(&worker->sleeps, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&worker->job, memory_order_seq_cst) &&
        atomic_exchange_explicit(&worker->sleeps, 0, memory_order_seq_cst))
        return;
    PyThread_acquire_lock(worker->wake, 1);
}

static Job *next_job(Worker *worker) {
    for (;;) {
        if (!finds_job_soon(worker))
            sleep_until_woken(worker);
        Job *job = atomic_exchange_explicit(&worker->job, NULL, memory_order_seq_cst);
        if (job)
            return job; // null if the call has recalled it
    }
}

// A child that is forked in here finds memory that is freed in no place.
static OUT_OF_LINE void drop_scratch(Worker *worker) {
    char *scratch = worker->scratch;
    const uint64_t bytes = worker->scratch_bytes;
    worker->scratch_bytes = 0;
    worker->scratch = NULL;
    mlirad_rt_free(scratch, bytes);
}

static bool has_scratch(Worker *worker, uint64_t bytes) {
    if (bytes <= worker->scratch_bytes)
        return true;
    drop_scratch(worker);
    worker->scratch = mlirad_rt_malloc(bytes);
    worker->scratch_bytes = worker->scratch ? bytes : 0;
    return worker->scratch;
}

static void *aligned(char *memory) {
    return (void *)(((uintptr_t)memory + SCRATCH_ALIGNMENT - 1) & -(uintptr_t)SCRATCH_ALIGNMENT);
}

static void serve(Worker *worker, Job *job, Context *context) {
    if (has_scratch(worker, job->scratch_bytes + SCRATCH_ALIGNMENT)) {
        context->deadline = job->deadline;
        context->status = 0;
        context->group = job;
        set_float_mode(job->mode);
        add(&mlirad_pool_worker_tasks, work(job, aligned(worker->scratch), context));
        if (worker->scratch_bytes > KEPT_SCRATCH_BYTES)
            drop_scratch(worker);
    }
    // The job may be gone as soon as this worker is not counted any more.
    const Lock done = job->done;
    if (atomic_fetch_sub_explicit(&job->running, 1, memory_order_acq_rel) == CALL_WAITS + 1)
        PyThread_release_lock(done);
}

static void run_worker(void *argument) {
    Worker *worker = argument;
    Context context;
    clear_context(&context);
    // It holds no lock of Python, and looks for no signals.
    context.thread = worker;
    context.signals = INT64_MAX;
    atomic_store_explicit(&worker->thread, mlirad_thread_number(), memory_order_relaxed);
    for (;;) {
        Job *job = next_job(worker);
        if (job == &quit)
            break;
        serve(worker, job, &context);
    }
    PyThread_release_lock(worker->done);
}

// Make the thread of a place, and its locks unless it has them. Return whether there is one.
static OUT_OF_LINE bool start(Worker *worker) {
    if (!worker->wake) {
        const Lock wake = PyThread_allocate_lock();
        const Lock done = PyThread_allocate_lock();
        if (!wake || !done)
            return false;
        PyThread_acquire_lock(wake, 1);
        PyThread_acquire_lock(done, 1);
        worker->wake = wake;
        worker->done = done;
    }
    if (!mlirad_start_thread(run_worker, worker))
        return false;
    add(&mlirad_pool_starts, 1);
    return true;
}

// Calls ---------------------------------------------------------------------------------------------------------------

static bool turns(Worker *worker, State from, State to) {
    uint64_t found = from;
    return atomic_compare_exchange_strong_explicit(
        &worker->state, &found, to, memory_order_acquire, memory_order_relaxed);
}

static bool takes(Worker *worker) {
    if (turns(worker, IDLE, TAKEN))
        return true;
    if (!turns(worker, EMPTY, TAKEN))
        return false;
    if (start(worker))
        return true;
    atomic_store_explicit(&worker->state, EMPTY, memory_order_release);
    return false;
}

// Give a job to the worker of a place, if it is idle or can be started. Return whether it was given.
//
// The call waits on the lock of its first worker, which it has to itself. Workers read it while others are enlisted,
// so it is written once, before any is woken.
static OUT_OF_LINE bool enlist(Worker *worker, Job *job, bool is_first) {
    if (!takes(worker))
        return false;
    atomic_store_explicit(&worker->owner, job, memory_order_relaxed);
    if (is_first)
        job->done = worker->done;
    add(&job->running, 1);
    leave_job(worker, job);
    return true;
}

// Take a job back from those of the first workers that have not begun: one may sleep on while others have done it all.
static OUT_OF_LINE void recall(Job *job, uint64_t count) {
    for (uint64_t k = 0; k < count; k++)
        if (atomic_load_explicit(&workers[k].owner, memory_order_relaxed) == job &&
            atomic_exchange_explicit(&workers[k].job, NULL, memory_order_seq_cst))
            atomic_fetch_sub_explicit(&job->running, 1, memory_order_relaxed);
}

// Wait until no worker is at work. If the call is to end meanwhile, tell them.
static OUT_OF_LINE void join(Job *job, Context *context) {
    for (uint64_t k = 0; k < SPINS; k++) {
        if (!atomic_load_explicit(&job->running, memory_order_acquire))
            return;
        mlirad_pause();
    }
    if (!atomic_fetch_add_explicit(&job->running, CALL_WAITS, memory_order_acq_rel))
        return;
    while (PyThread_acquire_lock_timed(job->done, WAIT_MICROSECONDS, 0) != 1)
        if (!context->status && mlirad_rt_poll(context))
            note_status(job, context->status);
}

// Give back those of the first workers that a job has.
static OUT_OF_LINE void dismiss(Job *job, uint64_t count) {
    for (uint64_t k = 0; k < count; k++)
        if (atomic_load_explicit(&workers[k].owner, memory_order_relaxed) == job) {
            atomic_store_explicit(&workers[k].owner, NULL, memory_order_relaxed);
            atomic_store_explicit(&workers[k].state, IDLE, memory_order_release);
        }
}

// Run the tasks of a loop on up to `threads` threads, at least 2, and return the status of the call. `scratch` is
// memory of `scratch_bytes` for this thread; workers have their own.
int64_t mlirad_pool_share(
    Context *context, Task *run, void *env, uint64_t tasks, void *scratch, uint64_t scratch_bytes, uint64_t threads) {
    // The first poll sets the deadline and releases the global lock of Python.
    if (mlirad_rt_poll(context))
        return context->status;
    Job job;
    job.run = run;
    job.env = env;
    job.tasks = tasks;
    atomic_init(&job.next, 0);
    atomic_init(&job.status, 0);
    atomic_init(&job.running, 0);
    job.scratch_bytes = scratch_bytes;
    job.mode = float_mode();
    job.deadline = context->deadline;
    job.done = NULL;
    add(&mlirad_pool_loops, 1);
    add(&mlirad_pool_tasks, tasks);

    const uint64_t wanted = least(least(threads, tasks), MOST_THREADS) - 1;
    const uint64_t places = least(threads - 1, MOST_WORKERS);
    uint64_t looked_at = 0;
    for (uint64_t enlisted = 0; looked_at < places && enlisted < wanted; looked_at++)
        enlisted += enlist(&workers[looked_at], &job, enlisted == 0);
    context->group = &job;
    work(&job, scratch, context);
    recall(&job, looked_at);
    join(&job, context);
    dismiss(&job, looked_at);
    context->group = NULL;
    if (!context->status)
        context->status = atomic_load_explicit(&job.status, memory_order_relaxed);
    return context->status;
}

// End the workers that are idle, and return how many there were.
uint64_t mlirad_pool_retire(void) {
    uint64_t count = 0;
    for (uint64_t k = 0; k < MOST_WORKERS; k++)
        if (turns(&workers[k], IDLE, TAKEN)) {
            leave_job(&workers[k], &quit);
            PyThread_acquire_lock(workers[k].done, 1);
            atomic_store_explicit(&workers[k].state, EMPTY, memory_order_release);
            count++;
        }
    return count;
}

// Write the system's numbers of the last threads of empty places, at most MOST_WORKERS, and return how many.
uint64_t mlirad_pool_last_threads(uint64_t *numbers) {
    uint64_t count = 0;
    for (uint64_t k = 0; k < MOST_WORKERS; k++) {
        const uint64_t number = atomic_load_explicit(&workers[k].thread, memory_order_relaxed);
        if (number && atomic_load_explicit(&workers[k].state, memory_order_relaxed) == EMPTY)
            numbers[count++] = number;
    }
    return count;
}

// In a child, where all workers are gone, whatever they were doing: empty the places, which keep scratch memory.
void mlirad_pool_reset(void) {
    for (uint64_t k = 0; k < MOST_WORKERS; k++) {
        atomic_init(&workers[k].state, EMPTY);
        workers[k].wake = NULL;
        workers[k].done = NULL;
        atomic_init(&workers[k].job, NULL);
        atomic_init(&workers[k].owner, NULL);
        atomic_init(&workers[k].sleeps, 0);
    }
}
