// The gradient of a polynomial least-squares fit at the points t: rows in blocks whose powers and residuals stay in
// registers and the first cache, for all coefficients.
#include <string.h>

enum { BLOCK = 32 };

void llsq(long n, long m, const double *restrict x, const double *restrict t, double *restrict gradient) {
  memset(gradient, 0, m * sizeof(double));
  for (long start = 0; start < n; start += BLOCK) {
    double at[BLOCK], power[BLOCK], residual[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
      const int inside = start + i < n;
      at[i] = inside ? t[start + i] : 0;
      residual[i] = (at[i] > 0) - (at[i] < 0);
      power[i] = inside;
    }
    for (long j = 0; j < m; j++)
      for (int i = 0; i < BLOCK; i++) {
        residual[i] -= x[j] * power[i];
        power[i] *= at[i];
      }
    for (int i = 0; i < BLOCK; i++) power[i] = start + i < n;
    for (long j = 0; j < m; j++) {
      double sum = 0;
      for (int i = 0; i < BLOCK; i++) {
        sum += residual[i] * power[i];
        power[i] *= at[i];
      }
      gradient[j] -= sum;
    }
  }
}
