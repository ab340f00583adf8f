// The clock of POSIX.

#include "system.h"

// The number that the system has for its monotonic clock.
extern int mlirad_monotonic_clock;

typedef struct {
    int64_t seconds;
    int64_t nanoseconds;
} Time;

int clock_gettime(int clock, Time *time);

INTERNAL int64_t mlirad_now(void) {
    Time time;
    clock_gettime(mlirad_monotonic_clock, &time);
    return time.seconds * 1000000000 + time.nanoseconds;
}

int64_t mlirad_rt_clock(void) { return mlirad_now(); }
