// The host: what runs around a compiled program, and what the program calls while it runs.
//
// The record of a call lies on the stack of `mlirad_call`. Its thread state is null as long as the call holds Python's
// global lock. A program whose work is known to be long releases the lock before it begins, every other one at its
// first poll: short calls pay nothing for it, and none keeps others waiting.
//
// Python's own handler of a signal only notes it; the user's handler waits until the main thread next runs Python code.
// So the main thread takes the lock every 50 milliseconds and lets Python handle what was noted. An exception that a
// handler raises stays set, and the call ends with it.
//
// Before Python code can run, of this thread or of another one, the call takes weak references to the arrays whose
// memory it works on, or to those behind views: NumPy resizes none that has some. Most calls end before.
//
// Python code that runs within a call rounds, and treats subnormal numbers, as its caller does, in whatever mode of
// floating point the program runs.

#include "host.h"
#include "job.h"
#include "system.h"

enum {
    SIGNALS_EVERY = 50000000, // nanoseconds between two looks for signals
    MARGIN_BYTES = 1 << 16,   // of the stack, left to what the deepest call calls; a quarter of it if that is less
    REPORT_BYTES = 1 << 15,   // of the stack, needed by a report, which runs Python
};

// The identity of Python's main thread.
extern uint64_t mlirad_main_thread;

// Functions of Python (`jit/host.py`): `report(description, values, element)` returns None or the failure that it
// found, an exception; `fail(status)` raises what the status of a call says.
extern Object mlirad_report, mlirad_fail;

// Borrowed arguments --------------------------------------------------------------------------------------------------

static const Array *owner_of(const Array *array) {
    return array->base && is_array(array->base) ? (const Array *)array->base : array;
}

// Hold the arrays whose memory the call has borrowed, unless it does already.
static OUT_OF_LINE void hold(Borrowed *borrowed) {
    if (!borrowed || borrowed->are_held)
        return;
    borrowed->are_held = 1;
    for (int64_t k = 0; k < borrowed->count; k++) {
        Object *argument = borrowed->arguments[k];
        borrowed->references[k] =
            is_array(argument) ? PyWeakref_NewRef((Object *)owner_of((const Array *)argument), NULL) : NULL;
    }
}

static void let_go(Borrowed *borrowed) {
    if (!borrowed || !borrowed->are_held)
        return;
    for (int64_t k = 0; k < borrowed->count; k++)
        Py_DecRef(borrowed->references[k]);
}

// Python's global lock ------------------------------------------------------------------------------------------------

// Take the lock unless the call holds it. Return whether it did.
static bool lock(Context *context) {
    if (!context->thread)
        return true;
    PyEval_RestoreThread(context->thread);
    context->thread = NULL;
    return false;
}

// Release the lock, which the call must hold.
static OUT_OF_LINE void unlock(Context *context) {
    hold(context->borrowed);
    context->thread = PyEval_SaveThread();
}

static int64_t enter_python(const Context *context) {
    const int64_t mode = float_mode();
    set_float_mode(context->mode);
    return mode;
}

static void leave_python(int64_t mode) { set_float_mode(mode); }

// Calls ---------------------------------------------------------------------------------------------------------------

// Set the exception that a call ends with which could not be finished, or has reported a failure. The caller
// of Python may have set it already.
static OUT_OF_LINE void raise_exception(const Context *context) {
    Object *failure = context->failure;
    if (!context->status) {
        PyErr_SetObject(failure->type, failure);
    } else if (context->status != RAISED) {
        PyErr_Clear();
        PyObject_CallFunction(&mlirad_fail, "L", context->status);
    }
    Py_DecRef(failure);
}

int mlirad_call(Program *program, void **buffers, void *arena, int64_t releases, int64_t time_limit, int64_t threads,
    Borrowed *borrowed, int64_t holds) {
    Context context;
    clear_context(&context);
    context.time_limit = time_limit;
    context.threads = (uint64_t)threads;
    context.borrowed = borrowed;
    context.mode = float_mode();
    if (holds)
        hold(borrowed);
    if (releases)
        unlock(&context);
    program(buffers, arena, &context);
    lock(&context);
    let_go(borrowed);
    if (context.status || context.failure) {
        raise_exception(&context);
        return -1;
    }
    // Functions of SciPy leave an exception where warnings are errors, or scipy.special.seterr says so.
    return PyErr_Occurred() ? -1 : 0;
}

// Polls ---------------------------------------------------------------------------------------------------------------

static bool is_main_thread(void) { return mlirad_thread_identity() == mlirad_main_thread; }

static OUT_OF_LINE void begin_polling(Context *context, int64_t now) {
    context->deadline = context->time_limit ? now + context->time_limit : INT64_MAX;
    context->signals = now + SIGNALS_EVERY;
    if (!context->thread)
        unlock(context);
}

static OUT_OF_LINE void handle_signals(Context *context, int64_t now) {
    context->signals = now + SIGNALS_EVERY;
    if (!is_main_thread())
        return;
    lock(context);
    const int64_t mode = enter_python(context);
    const bool is_raised = PyErr_CheckSignals();
    leave_python(mode);
    unlock(context);
    if (is_raised)
        context->status = RAISED;
}

int64_t mlirad_rt_poll(Context *context) {
    const int64_t now = mlirad_now();
    if (!context->deadline)
        begin_polling(context, now);
    // Another thread that works on the call may have found that it is to end.
    const int64_t ended =
        context->group ? atomic_load_explicit(&context->group->status, memory_order_relaxed) : 0;
    if (ended)
        context->status = ended;
    else if (now >= context->deadline)
        context->status = OUT_OF_TIME;
    else if (now >= context->signals)
        handle_signals(context, now);
    return context->status;
}

// The stack -----------------------------------------------------------------------------------------------------------

// The stack of the main thread, which the system takes 20 microseconds to find, and the identity of that thread.
static Stack main_stack;
static _Atomic(uint64_t) main_stack_of;

static void find_stack(Stack *stack) {
    if (!is_main_thread()) {
        mlirad_find_stack(stack);
        return;
    }
    if (atomic_load_explicit(&main_stack_of, memory_order_acquire) != mlirad_main_thread) {
        mlirad_find_stack(&main_stack);
        atomic_store_explicit(&main_stack_of, mlirad_main_thread, memory_order_release);
    }
    stack->low = main_stack.low;
    stack->bytes = main_stack.bytes;
}

// Return, and note, the address down to which the stack may grow.
int64_t mlirad_rt_stack_limit(Context *context) {
    Stack stack;
    find_stack(&stack);
    const uint64_t part = stack.bytes / 4;
    context->stack = stack.low + (part < MARGIN_BYTES ? part : MARGIN_BYTES);
    return (int64_t)context->stack;
}

// Reports -------------------------------------------------------------------------------------------------------------

static bool has_stack_for_python(void) {
    Stack stack;
    find_stack(&stack);
    return (uint64_t)(uintptr_t)&stack > stack.low + REPORT_BYTES;
}

// Report to Python, and return the status of the call.
int64_t mlirad_rt_report(Context *context, const char *description, void *values, int64_t element) {
    if (!has_stack_for_python())
        return context->status = OUT_OF_STACK;
    const bool was_locked = lock(context);
    hold(context->borrowed);
    const int64_t mode = enter_python(context);
    Object *result = NULL;
    if (!PyErr_CheckSignals())
        result = PyObject_CallFunction(&mlirad_report, "LLL", (int64_t)(uintptr_t)description,
            (int64_t)(uintptr_t)values, element);
    if (!result)
        context->status = RAISED;
    else if (result == &_Py_NoneStruct || context->failure)
        Py_DecRef(result);
    else
        context->failure = result;
    leave_python(mode);
    if (!was_locked)
        unlock(context);
    return context->status;
}

// Call a Python function of the user. It takes what a report takes, and writes the results beside the operands.
int64_t mlirad_rt_python(Context *context, const char *description, void *values, int64_t element) {
    return mlirad_rt_report(context, description, values, element);
}
