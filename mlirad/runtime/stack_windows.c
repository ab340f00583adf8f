// The stack of a thread on Windows.

#include "system.h"

void GetCurrentThreadStackLimits(uint64_t *low, uint64_t *high);

INTERNAL void mlirad_find_stack(Stack *stack) {
    uint64_t high;
    GetCurrentThreadStackLimits(&stack->low, &high);
    stack->bytes = high - stack->low;
}
