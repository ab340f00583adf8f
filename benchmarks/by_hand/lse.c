// The gradient of logsumexp: exp(x - max) over its sum. Two passes read x, two write the gradient.
#include <math.h>

void lse(long n, const double *restrict x, double *restrict gradient) {
  double largest = x[0];
  for (long i = 1; i < n; i++) largest = x[i] > largest ? x[i] : largest;
  double sum = 0;
  for (long i = 0; i < n; i++) {
    gradient[i] = exp(x[i] - largest);
    sum += gradient[i];
  }
  const double scale = 1 / sum;
  for (long i = 0; i < n; i++) gradient[i] *= scale;
}
