// The differences between systems and processors: files for some of them (`clock_*.c`, `stack_*.c`), and code that C
// cannot express, which the loader of the text defines (`jit/system_text.py`).
#ifndef MLIRAD_SYSTEM_H
#define MLIRAD_SYSTEM_H

#include "attributes.h"

// Start a thread by CPython's interface, and return whether there is one.
bool mlirad_start_thread(void (*run)(void *), void *argument);

// Return the number that the system has for this thread.
uint64_t mlirad_thread_number(void);

// Return what Python takes for the identity of this thread.
uint64_t mlirad_thread_identity(void);

// Spend a moment in a loop that waits.
void mlirad_pause(void);

// Return nanoseconds of a clock that only goes forward.
int64_t mlirad_now(void);

// Return the same by as fine a clock as there is. Profiled programs call it.
int64_t mlirad_rt_clock(void);

typedef struct {
    uint64_t low; // the lowest address
    uint64_t bytes;
} Stack;

// Find the stack of this thread, or what is certain to be left of it.
void mlirad_find_stack(Stack *stack);

// The control register of floating point; `lower/llvm/float_control.py`.
int64_t float_mode(void) __asm__("float_control.get");
void set_float_mode(int64_t mode) __asm__("float_control.set");

// Have this thread round and treat subnormal numbers as functions of libraries expect, and return what it did before;
// `jit/standard_mode_text.py`.
int64_t enter_standard(void);
void leave_standard(int64_t mode);

#endif
