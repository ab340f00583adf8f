// The stack of a thread on Linux.

#include "stack_unknown.h"

// Holds the opaque attributes of every C library.
typedef struct {
    _Alignas(16) char bytes[128];
} Attributes;

void *pthread_self(void);
int pthread_getattr_np(void *thread, Attributes *attributes);
int pthread_attr_getstack(const Attributes *attributes, uint64_t *low, uint64_t *bytes);
int pthread_attr_getguardsize(const Attributes *attributes, uint64_t *bytes);
int pthread_attr_destroy(Attributes *attributes);

INTERNAL void mlirad_find_stack(Stack *stack) {
    Attributes attributes;
    if (pthread_getattr_np(pthread_self(), &attributes)) {
        guess_stack(stack);
        return;
    }
    uint64_t guard = 0;
    pthread_attr_getstack(&attributes, &stack->low, &stack->bytes);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    stack->low += guard;
    stack->bytes -= guard;
}
