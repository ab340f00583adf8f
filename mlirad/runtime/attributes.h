// The beginning of every file of the run-time library: integers of known width, and attributes by short
// names.
#ifndef MLIRAD_ATTRIBUTES_H
#define MLIRAD_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Callable from the rest of a program, and from nowhere else: `internal` in LLVM IR.
#define INTERNAL __attribute__((visibility("hidden")))
#define INLINED INTERNAL __attribute__((always_inline))
#define OUT_OF_LINE __attribute__((noinline))
#define COLD __attribute__((cold))

#define UNLIKELY(condition) __builtin_expect_with_probability((condition), 0, 0.9999)

#endif
