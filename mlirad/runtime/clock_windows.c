// The clocks of Windows.

#include "system.h"

// The length of a tick of the performance counter.
extern double mlirad_tick_nanoseconds;

uint64_t GetTickCount64(void);
int QueryPerformanceCounter(int64_t *ticks);

INTERNAL int64_t mlirad_now(void) { return (int64_t)GetTickCount64() * 1000000; }

int64_t mlirad_rt_clock(void) {
    int64_t ticks;
    QueryPerformanceCounter(&ticks);
    return (int64_t)((double)ticks * mlirad_tick_nanoseconds);
}
