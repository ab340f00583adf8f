// The gradient of the mean cross-entropy in the scores [n, k]: softmax of each row, less 1 at its label, over n.
// A row stays in the first cache between its three passes.
#include <math.h>

#define CROSS_ENTROPY(NAME, REAL, EXP)                                                                       \
  void NAME(long n, long k, const REAL *restrict scores, const long *restrict labels, REAL *restrict out) { \
    for (long i = 0; i < n; i++) {                                                                           \
      const REAL *restrict s = scores + i * k;                                                               \
      REAL *restrict g = out + i * k;                                                                        \
      REAL largest = s[0], sum = 0;                                                                          \
      for (long c = 1; c < k; c++) largest = s[c] > largest ? s[c] : largest;                                \
      for (long c = 0; c < k; c++) {                                                                         \
        g[c] = EXP(s[c] - largest);                                                                          \
        sum += g[c];                                                                                         \
      }                                                                                                      \
      const REAL scale = 1 / (sum * n);                                                                      \
      for (long c = 0; c < k; c++) g[c] *= scale;                                                            \
      g[labels[i]] -= (REAL)1 / n;                                                                           \
    }                                                                                                        \
  }

CROSS_ENTROPY(cross_entropy_f64, double, exp)
CROSS_ENTROPY(cross_entropy_f32, float, expf)
