// What differs between systems and processors: defined by who loads the text (`jit/system_text.py`).
#ifndef MLIRAD_SYSTEM_H
#define MLIRAD_SYSTEM_H

#include "attributes.h"

// Start a thread by CPython's interface, and return whether there is one.
bool mlirad_start_thread(void (*run)(void *), void *argument);

// Return the number that the system has for this thread.
uint64_t mlirad_thread_number(void);

// Spend a moment in a loop that waits.
void mlirad_pause(void);

// The control register of floating point; `lower/llvm/float_control.py`.
int64_t float_mode(void) __asm__("float_control.get");
void set_float_mode(int64_t mode) __asm__("float_control.set");

// Have this thread round and treat subnormal numbers as functions of libraries expect, and return what it did before;
// `jit/standard_mode_text.py`.
int64_t enter_standard(void);
void leave_standard(int64_t mode);

#endif
