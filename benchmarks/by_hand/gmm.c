// The gradient of the log posterior of a Gaussian mixture in alpha, mu, q and l, for a Wishart prior with m = 0 and
// gamma = 1. With y = x - mu and the weights r of a component,
//
//     d/dQ = -Q sum_i r_i y_i y_i^T,    d/dmu = Q^T Q sum_i r_i y_i,
//
// so a point costs two triangles of multiplications per component: Q y, and the weighted square of y. Both are
// computed in tiles of 4 x 8 that stay in registers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 4, ROWS = 4, WIDE = 2 * LANES, POINTS = 32 };
typedef double Vector __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

static long rounded(long n, long to) { return (n + to - 1) / to * to; }

// |Q y|^2 of WIDE points whose components are columns [d][WIDE]; Q has rows of p elements, zero above the diagonal.
static void square_norms(long d, long p, const double *restrict q, const double *restrict columns,
                         double *restrict norms) {
  Vector total[2] = {{0}, {0}};
  for (long r = 0; r < d; r += ROWS) {
    Vector z[ROWS][2] = {{{0}}};
    const long end = r + ROWS < d ? r + ROWS : d;
    for (long j = 0; j < end; j++) {
      const Vector *restrict y = (const Vector *)(columns + j * WIDE);
      const Vector low = y[0], high = y[1];
      for (int row = 0; row < ROWS; row++) {
        z[row][0] += q[(r + row) * p + j] * low;
        z[row][1] += q[(r + row) * p + j] * high;
      }
    }
    for (int row = 0; row < ROWS; row++)
      for (int half = 0; half < 2; half++) total[half] += z[row][half] * z[row][half];
  }
  memcpy(norms, total, sizeof total);
}

// Adds the lower triangle of sum_i weighted_i y_i^T, over `points` rows of p elements, to moments [p][p].
static void add_squares(long d, long p, long points, const double *restrict weighted, const double *restrict y,
                        double *restrict moments) {
  for (long r = 0; r < d; r += ROWS)
    for (long j = 0; j <= r + ROWS - 1; j += WIDE) {
      Vector m[ROWS][2] = {{{0}}};
      for (long i = 0; i < points; i++) {
        const Vector *restrict row_of_y = (const Vector *)(y + i * p + j);
        const Vector low = row_of_y[0], high = row_of_y[1];
        for (int row = 0; row < ROWS; row++) {
          m[row][0] += weighted[i * p + r + row] * low;
          m[row][1] += weighted[i * p + r + row] * high;
        }
      }
      for (int row = 0; row < ROWS; row++)
        for (int half = 0; half < 2; half++) {
          Vector *to = (Vector *)(moments + (r + row) * p + j + half * LANES);
          *to += m[row][half];
        }
    }
}

void gmm(long n, long d, long k, const double *restrict alpha, const double *restrict mu, const double *restrict q,
         const double *restrict l, const double *restrict x, double *restrict by_alpha, double *restrict by_mu,
         double *restrict by_q, double *restrict by_l) {
  const long p = rounded(d, WIDE), packed = d * (d - 1) / 2, n_padded = rounded(n, WIDE);
  double *matrix = calloc(k * p * p, sizeof(double)), *densities = malloc(k * n_padded * sizeof(double));
  double *moments = malloc(p * p * sizeof(double)), *columns = malloc(p * WIDE * sizeof(double));
  double *y = calloc(POINTS * p, sizeof(double)), *weighted = calloc(POINTS * p, sizeof(double));
  double *scratch = malloc(4 * (p + n_padded) * sizeof(double));
  double *largest = scratch, *sums = scratch + n_padded, *s = scratch + 2 * n_padded, *z = s + p;

  for (long c = 0; c < k; c++) {
    double *restrict matrix_c = matrix + c * p * p;
    long position = c * packed;
    double constant = alpha[c];
    for (long j = 0; j < d; j++) {
      matrix_c[j * p + j] = exp(q[c * d + j]);
      constant += q[c * d + j];
      for (long i = j + 1; i < d; i++) matrix_c[i * p + j] = l[position++];
    }
    for (long start = 0; start < n; start += WIDE) {
      double norms[WIDE];
      for (long lane = 0; lane < WIDE; lane++) {
        const double *restrict point = x + (start + lane < n ? start + lane : n - 1) * d;
        for (long j = 0; j < d; j++) columns[j * WIDE + lane] = point[j] - mu[c * d + j];
      }
      square_norms(d, p, matrix_c, columns, norms);
      for (long lane = 0; lane < WIDE; lane++) densities[c * n_padded + start + lane] = constant - 0.5 * norms[lane];
    }
  }

  for (long i = 0; i < n; i++) largest[i] = densities[i], sums[i] = 0;
  for (long c = 1; c < k; c++)
    for (long i = 0; i < n; i++) {
      const double found = densities[c * n_padded + i];
      largest[i] = found > largest[i] ? found : largest[i];
    }
  for (long c = 0; c < k; c++)
    for (long i = 0; i < n; i++) {
      const double power = exp(densities[c * n_padded + i] - largest[i]);
      densities[c * n_padded + i] = power < 1e-200 ? 0 : power;
      sums[i] += power;
    }
  for (long i = 0; i < n; i++) sums[i] = 1 / sums[i];

  double most = alpha[0], normaliser = 0;
  for (long c = 1; c < k; c++) most = alpha[c] > most ? alpha[c] : most;
  for (long c = 0; c < k; c++) normaliser += exp(alpha[c] - most);

  for (long c = 0; c < k; c++) {
    const double *restrict matrix_c = matrix + c * p * p, *restrict weights = densities + c * n_padded;
    memset(moments, 0, p * p * sizeof(double));
    memset(s, 0, p * sizeof(double));
    double total = 0;
    for (long start = 0; start < n; start += POINTS) {
      const long points = n - start < POINTS ? n - start : POINTS;
      for (long i = 0; i < points; i++) {
        const double weight = weights[start + i] * sums[start + i];
        total += weight;
        for (long j = 0; j < d; j++) {
          y[i * p + j] = x[(start + i) * d + j] - mu[c * d + j];
          weighted[i * p + j] = weight * y[i * p + j];
          s[j] += weighted[i * p + j];
        }
      }
      add_squares(d, p, points, weighted, y, moments);
    }
    for (long i = 0; i < d; i++)
      for (long j = i + 1; j < d; j++) moments[i * p + j] = moments[j * p + i];
    by_alpha[c] = total - n * exp(alpha[c] - most) / normaliser;
    memset(z, 0, p * sizeof(double));
    for (long i = 0; i < d; i++)
      for (long j = 0; j <= i; j++) z[i] += matrix_c[i * p + j] * s[j];
    for (long j = 0; j < d; j++) by_mu[c * d + j] = 0;
    for (long i = 0; i < d; i++)
      for (long j = 0; j <= i; j++) by_mu[c * d + j] += matrix_c[i * p + j] * z[i];
    for (long i = 0; i < d; i++) {
      double row[p];
      memset(row, 0, sizeof row);
      for (long j = 0; j <= i; j++)
        for (long column = 0; column <= i; column++) row[column] -= matrix_c[i * p + j] * moments[j * p + column];
      const double diagonal = matrix_c[i * p + i];
      by_q[c * d + i] = total + row[i] * diagonal - diagonal * diagonal;
      // element (i, j) is packed by columns: those before column j have (d - 1) + ... + (d - j) elements
      for (long j = 0; j < i; j++) {
        const long position = c * packed + j * (2 * d - j - 1) / 2 + i - j - 1;
        by_l[position] = row[j] - l[position];
      }
    }
  }
  free(matrix), free(densities), free(moments), free(columns), free(y), free(weighted), free(scratch);
}
