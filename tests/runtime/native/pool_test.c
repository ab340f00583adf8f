// The pool under several callers at once, through `mlirad_rt_parallel`: semaphores stand for CPython's locks.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "parallel.c"
#include "pool.c"

enum { CALLERS = 3, CALLS = 1500, MOST_TASKS = 64, ENDED = 77 };

_Atomic(uint64_t) mlirad_usual_threads = 1;
_Atomic(Share *) mlirad_pool;

Lock PyThread_allocate_lock(void) {
    sem_t *semaphore = malloc(sizeof *semaphore);
    sem_init(semaphore, 0, 1);
    return semaphore;
}

int PyThread_acquire_lock(Lock lock, int waits) { return waits ? !sem_wait(lock) : !sem_trywait(lock); }

int PyThread_acquire_lock_timed(Lock lock, int64_t microseconds, int is_interruptible) {
    (void)is_interruptible;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += microseconds * 1000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return !sem_timedwait(lock, &end);
}

void PyThread_release_lock(Lock lock) { sem_post(lock); }

static void *run_thread(void *pair) {
    void **words = pair;
    void (*run)(void *) = (void (*)(void *))words[0];
    void *argument = words[1];
    free(pair);
    run(argument);
    return NULL;
}

bool mlirad_start_thread(void (*run)(void *), void *argument) {
    void **pair = malloc(2 * sizeof(void *));
    pair[0] = (void *)run;
    pair[1] = argument;
    pthread_t thread;
    return !pthread_create(&thread, NULL, run_thread, pair) && !pthread_detach(thread);
}

uint64_t mlirad_thread_number(void) { return (uint64_t)pthread_self(); }
void mlirad_pause(void) {}
int64_t float_mode(void) { return 1; }
void set_float_mode(int64_t mode) { (void)mode; }
void *mlirad_rt_malloc(uint64_t bytes) { return malloc(bytes); }
void mlirad_rt_free(void *memory, uint64_t bytes) {
    (void)bytes;
    free(memory);
}

int64_t mlirad_rt_poll(Context *context) {
    if (!context->status && context->group)
        context->status = atomic_load_explicit(&context->group->status, memory_order_relaxed);
    return context->status;
}

typedef struct {
    uint64_t runs[MOST_TASKS];
    uint64_t last; // the task that ends the call
} Env;

static void task(void *env, uint64_t number, void *scratch, Context *context) {
    Env *given = env;
    *(uint64_t *)scratch = number;
    given->runs[number]++;
    if (number == given->last)
        context->status = ENDED;
}

static void expect(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void *call(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    uint64_t scratch[8];
    for (int k = 0; k < CALLS; k++) {
        const uint64_t tasks = 1 + (uint64_t)rand_r(&seed) % MOST_TASKS;
        const bool ends = rand_r(&seed) % 8 == 0;
        Env env = {.last = ends ? (uint64_t)rand_r(&seed) % tasks : MOST_TASKS};
        Context context;
        clear_context(&context);
        context.threads = 1 + (uint64_t)rand_r(&seed) % 6;
        const int64_t status =
            mlirad_rt_parallel(&context, task, &env, tasks, scratch, 64 << rand_r(&seed) % 3);
        expect(status == (ends ? ENDED : 0) && context.status == status, "the status");
        for (uint64_t i = 0; i < MOST_TASKS; i++)
            expect(ends ? env.runs[i] <= (i < tasks) : env.runs[i] == (i < tasks), "runs of a task");
        if (rand_r(&seed) % 100 == 0)
            mlirad_pool_retire();
    }
    return NULL;
}

int main(int count, char **arguments) {
    const uintptr_t seed = count > 1 ? (uintptr_t)atoi(arguments[1]) : 1;
    pthread_t callers[CALLERS];
    atomic_store(&mlirad_pool, mlirad_pool_share);
    for (int k = 0; k < CALLERS; k++)
        expect(!pthread_create(&callers[k], NULL, call, (void *)(seed + (uintptr_t)k)), "a thread");
    for (int k = 0; k < CALLERS; k++)
        pthread_join(callers[k], NULL);
    uint64_t ended[MOST_WORKERS];
    mlirad_pool_retire();
    const uint64_t last = mlirad_pool_last_threads(ended);
    expect(last > 0 && last <= 5, "threads that ended");
    expect(mlirad_pool_worker_tasks <= mlirad_pool_tasks && mlirad_pool_starts > 0, "what is counted");
    return 0;
}
