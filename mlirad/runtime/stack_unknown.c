// The stack of a thread where the system does not say.

#include "stack_unknown.h"

INTERNAL void mlirad_find_stack(Stack *stack) { guess_stack(stack); }
