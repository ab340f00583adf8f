// The gradient of the last component after s Runge-Kutta steps of y'_0 = x_0, y'_i = x_i y_{i-1}. One vector is
// stored per step; the reverse sweep recomputes the stages. Component i depends on i - 1 only, so both sweeps go in
// blocks, with a few components more on either side, whose stages stay in the first cache.
#include <string.h>

#include "scratch.h"

enum { BLOCK = 512, HALO = 4, LENGTH = BLOCK + 2 * HALO };

static long least(long a, long b) { return a < b ? a : b; }

// The stages k1, ..., k4 of the components lo, ..., hi - 1, whose first HALO - 1 are wrong unless lo is 0.
static void stages(long lo, long hi, double h, const double *restrict x, const double *restrict y,
                   double k[4][LENGTH]) {
  const double factor[4] = {0, h / 2, h / 2, h};
  for (int stage = 0; stage < 4; stage++) {
    double *restrict now = k[stage];
    const double *restrict before = k[stage ? stage - 1 : 0];
    const double f = factor[stage];
    now[0] = lo ? 0 : x[0];
    if (stage == 0)
      for (long i = 1; i < hi - lo; i++) now[i] = x[lo + i] * y[lo + i - 1];
    else
      for (long i = 1; i < hi - lo; i++) now[i] = x[lo + i] * (y[lo + i - 1] + f * before[i - 1]);
  }
}

void ode(long n, long s, const double *restrict x, double *restrict gradient) {
  const double h = 2.0 / s;
  double *solutions = scratch((s + 2) * n * sizeof(double)), *adjoint = solutions + (s + 1) * n;
  double k[4][LENGTH], by[4][LENGTH];
  memset(solutions, 0, n * sizeof(double));
  for (long step = 0; step < s; step++) {
    const double *restrict y = solutions + step * n;
    double *restrict after = solutions + (step + 1) * n;
    for (long start = 0; start < n; start += BLOCK) {
      const long lo = start ? start - HALO : 0, end = least(start + BLOCK, n);
      stages(lo, end, h, x, y, k);
      for (long i = start; i < end; i++) {
        const long j = i - lo;
        after[i] = y[i] + h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
      }
    }
  }
  memset(gradient, 0, n * sizeof(double));
  memset(adjoint, 0, n * sizeof(double));
  adjoint[n - 1] = 1;
  for (long step = s - 1; step >= 0; step--) {
    const double *restrict y = solutions + step * n;
    for (long start = 0; start < n; start += BLOCK) {
      const long lo = start ? start - HALO : 0, end = least(start + BLOCK, n), far = least(end + HALO, n);
      stages(lo, end, h, x, y, k);
      // adjoints of the stages from start to far; the last of them are wrong unless far is n
      const long length = far - start;
      const double *restrict a = adjoint + start, *restrict xs = x + start;
      for (long i = 0; i < length; i++) by[3][i] = h / 6 * a[i];
      for (int stage = 2; stage >= 0; stage--) {
        const double own = stage ? h / 3 : h / 6, next = stage == 2 ? h : h / 2;
        double *restrict now = by[stage];
        const double *restrict later = by[stage + 1];
        for (long i = 0; i < length - 1; i++) now[i] = own * a[i] + next * xs[i + 1] * later[i + 1];
        now[length - 1] = own * a[length - 1];
      }
      for (long i = start; i < end; i++) {
        const long b = i - start, j = i - lo - 1;
        if (i == 0) {
          gradient[0] += by[0][0] + by[1][0] + by[2][0] + by[3][0];
          continue;
        }
        const double shared = y[i - 1] * (by[0][b] + by[1][b] + by[2][b] + by[3][b]);
        gradient[i] += shared + h / 2 * (by[1][b] * k[0][j] + by[2][b] * k[1][j]) + h * by[3][b] * k[2][j];
      }
      const long moved = least(end, n - 1);
      for (long i = start; i < moved; i++) {
        const long b = i - start + 1;
        adjoint[i] += x[i + 1] * (by[0][b] + by[1][b] + by[2][b] + by[3][b]);
      }
    }
  }
}
