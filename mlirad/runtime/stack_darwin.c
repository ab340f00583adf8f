// The stack of a thread on macOS.

#include "system.h"

void *pthread_self(void);
uint64_t pthread_get_stackaddr_np(void *thread); // where it begins, at the highest address
uint64_t pthread_get_stacksize_np(void *thread);

INTERNAL void mlirad_find_stack(Stack *stack) {
    void *thread = pthread_self();
    stack->bytes = pthread_get_stacksize_np(thread);
    stack->low = pthread_get_stackaddr_np(thread) - stack->bytes;
}
