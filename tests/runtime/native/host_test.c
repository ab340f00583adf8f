// The host with a lock, a clock, signals and objects of our own: random programs that poll, report, fail and take long.
// Python must run with its lock held and in the caller's mode of floating point, and every reference must come back.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host.c"
#include "stack_linux.c"

enum { RUNS = 20000, ARGUMENTS = 3, STEPS = 12, CALLERS_MODE = 1, PROGRAMS_MODE = 2, LIMIT = 40 * SIGNALS_EVERY };

Object PyArray_Type, _Py_NoneStruct, mlirad_report, mlirad_fail;
uint64_t mlirad_main_thread = 11;

static Object Error_Type, Other_Type, failure = {1000, &Error_Type};
static uint64_t identity;
static int64_t now, mode;
static bool is_locked, is_error_set, is_signal_noted, is_ended_elsewhere;
static int references, python_calls;
static Borrowed *borrowed;
static int64_t failed_status;

static void expect(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static bool chance(int of) { return rand() % of == 0; }

uint64_t mlirad_thread_identity(void) { return identity; }
int64_t mlirad_now(void) { return now; }
int64_t float_mode(void) { return mode; }
void set_float_mode(int64_t next) { mode = next; }

static void token(void) {}

void *PyEval_SaveThread(void) {
    expect(is_locked, "the lock that is released is held");
    expect(!borrowed || borrowed->are_held, "arguments are held while others may run Python");
    is_locked = false;
    return (void *)(uintptr_t)&token;
}

void PyEval_RestoreThread(void *thread) {
    expect(!is_locked && thread == (void *)(uintptr_t)&token, "the lock that is taken is free");
    is_locked = true;
}

void Py_DecRef(Object *object) {
    expect(is_locked, "the lock is held");
    if (object == &Other_Type)
        references--;
    else if (object)
        object->reference_count--;
}

Object *PyWeakref_NewRef(Object *object, Object *callback) {
    expect(is_locked && is_array(object) && !callback, "a weak reference to an array");
    const Array *array = (const Array *)object;
    expect(!array->base || !is_array(array->base), "it owns its memory");
    references++;
    return &Other_Type;
}

Object *PyErr_Occurred(void) {
    expect(is_locked, "the lock is held");
    return is_error_set ? &Error_Type : NULL;
}

void PyErr_Clear(void) { is_error_set = false; }

void PyErr_SetObject(Object *type, Object *value) {
    expect(is_locked && type == &Error_Type && value == &failure, "the failure that is raised");
    is_error_set = true;
}

int PyErr_CheckSignals(void) {
    expect(is_locked && mode == CALLERS_MODE, "handlers of signals run as in the caller");
    if (!is_signal_noted || !chance(2))
        return is_signal_noted = false, 0;
    is_signal_noted = false;
    is_error_set = true;
    return -1;
}

Object *PyObject_CallFunction(Object *function, const char *format, ...) {
    expect(is_locked, "the lock is held");
    va_list given;
    va_start(given, format);
    if (function == &mlirad_fail) {
        expect(format[0] == 'L' && !format[1] && !is_error_set, "the call of fail");
        failed_status = va_arg(given, long long);
        is_error_set = true;
        va_end(given);
        return NULL;
    }
    expect(mode == CALLERS_MODE, "reports run as in the caller");
    expect(!borrowed || borrowed->are_held, "arguments are held while Python runs");
    const long long description = va_arg(given, long long), values = va_arg(given, long long);
    expect(description == 5 && values == 6 && va_arg(given, long long) == 7, "what is reported");
    va_end(given);
    python_calls++;
    if (chance(6))
        return is_error_set = true, NULL;
    Object *result = chance(3) ? &failure : &_Py_NoneStruct;
    result->reference_count++;
    return result;
}

static void program(void **buffers, void *arena, Context *context) {
    static Job group;
    (void)buffers, (void)arena;
    mode = PROGRAMS_MODE;
    for (int step = rand() % STEPS; step > 0 && !context->status; step--) {
        now += rand() % (2 * SIGNALS_EVERY);
        is_signal_noted |= chance(8);
        const int choice = rand() % 10;
        int64_t status = context->status;
        if (choice < 6)
            status = mlirad_rt_poll(context);
        else if (choice < 8)
            status = mlirad_rt_python(context, (const char *)5, (void *)6, 7);
        else if (choice < 9)
            expect((uint64_t)mlirad_rt_stack_limit(context) < (uint64_t)(uintptr_t)&step, "the limit of the stack");
        else if (chance(4))
            status = context->status = OUT_OF_STACK;
        expect(status == context->status, "the status");
        expect(choice >= 6 || !is_locked, "the lock is free after a poll");
        expect(mode == PROGRAMS_MODE, "the mode of the program");
        if (chance(20)) {
            atomic_store(&group.status, OUT_OF_TIME);
            context->group = &group;
            is_ended_elsewhere = true;
            expect(mlirad_rt_poll(context) == OUT_OF_TIME, "another thread ends the call");
            context->group = NULL;
        }
    }
    mode = CALLERS_MODE; // as the program's own code does
}

static void run(void) {
    Array owner = {.object = {1, &PyArray_Type}};
    Array view = {.object = {1, &PyArray_Type}, .base = &owner.object};
    Array of_other = {.object = {1, &PyArray_Type}, .base = &Other_Type};
    Object scalar = {1, &Other_Type};
    Object *const all[] = {&owner.object, &view.object, &of_other.object, &scalar};
    Object *arguments[ARGUMENTS];
    borrowed = chance(4) ? NULL : malloc(sizeof(Borrowed) + ARGUMENTS * sizeof(Object *));
    for (int k = 0; k < ARGUMENTS; k++)
        arguments[k] = all[rand() % 4];
    if (borrowed) {
        borrowed->arguments = arguments;
        borrowed->count = rand() % (ARGUMENTS + 1);
        borrowed->are_held = 0;
    }
    identity = chance(2) ? mlirad_main_thread : 12;
    mode = CALLERS_MODE;
    is_locked = true;
    is_error_set = is_signal_noted = is_ended_elsewhere = false;
    failed_status = 0;
    const int64_t limit = chance(2) ? LIMIT : 0;
    const int result = mlirad_call(program, NULL, NULL, chance(3), limit, 1, borrowed, chance(3));
    expect(is_locked && mode == CALLERS_MODE, "the lock is held, and the mode that of the caller");
    expect(is_error_set == (result == -1), "an exception is set where the call fails");
    expect(references == 0, "references to arguments are dropped");
    expect(failure.reference_count == 1000, "references to a failure");
    expect(failed_status != OUT_OF_TIME || limit || is_ended_elsewhere, "calls without a limit go on");
    free(borrowed);
}

int main(int count, char **arguments) {
    srand(count > 1 ? (unsigned)atoi(arguments[1]) : 1);
    for (int k = 0; k < RUNS; k++) {
        run();
        _Py_NoneStruct.reference_count = 0;
    }
    Stack guessed;
    guess_stack(&guessed);
    expect(guessed.low + guessed.bytes > guessed.low, "a stack that is guessed");
    expect(python_calls > 0, "Python is called");
    return 0;
}
