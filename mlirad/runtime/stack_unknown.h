// The assumed rest of a stack if the system does not say.
#ifndef MLIRAD_STACK_UNKNOWN_H
#define MLIRAD_STACK_UNKNOWN_H

#include "system.h"

enum { UNKNOWN_STACK_BYTES = 1 << 15 };

static inline void guess_stack(Stack *stack) {
    const char here = 0;
    stack->low = (uint64_t)(uintptr_t)&here - UNKNOWN_STACK_BYTES;
    stack->bytes = UNKNOWN_STACK_BYTES;
}

#endif
