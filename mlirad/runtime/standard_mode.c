// The mode of floating point that functions of libraries are written for; `jit/standard_mode_text.py` says why.

#include "system.h"

// As C and LLVM number this way to round.
enum { TO_NEAREST = 1 };

// The content of the control register that programs are written for; `lower/llvm/float_control.py`.
int64_t standard_float_mode(void) __asm__("float_control.standard");

// The result has the mode in its lower 32 bits and the way to round, which an older unit has a register for, above.
INTERNAL int64_t enter_standard(void) {
    const int64_t mode = float_mode();
    const int64_t way = __builtin_flt_rounds();
    if (way != TO_NEAREST)
        __builtin_set_flt_rounds(TO_NEAREST);
    set_float_mode(standard_float_mode());
    return mode | way << 32;
}

INTERNAL void leave_standard(int64_t both) {
    const int way = (int)(both >> 32);
    if (way != TO_NEAREST)
        __builtin_set_flt_rounds(way);
    set_float_mode((uint32_t)both);
}
