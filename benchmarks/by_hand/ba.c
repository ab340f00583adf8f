// The Jacobian of bundle adjustment, a block of 2 x 15 per observation and the slope of its weight error. Observations
// go in blocks of LANES, whose cameras and points are gathered as columns, so that all arithmetic is of vectors.
#include <math.h>

enum { LANES = 16 };
typedef double Lanes[LANES];

// Column `lane` of the block: `jacobian[row][15]` with 11 parameters of the camera, 3 of the point, and the weight.
static inline __attribute__((always_inline)) void one(int lane, const Lanes camera[11], const Lanes point[3],
                                                      const double *weight, const Lanes measured[2],
                                                      Lanes jacobian[2][15]) {
  const double r[3] = {camera[0][lane], camera[1][lane], camera[2][lane]};
  const double v[3] = {point[0][lane] - camera[3][lane], point[1][lane] - camera[4][lane],
                       point[2][lane] - camera[5][lane]};
  const double f = camera[6][lane], k1 = camera[9][lane], k2 = camera[10][lane], w = weight[lane];
  const double squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  const int turned = squared > 0;
  const double theta = sqrt(turned ? squared : 1), over = 1 / theta, s = sin(theta), cosine = cos(theta);
  const double c = turned ? cosine : 1, rest = 1 - c;
  const double a[3] = {r[0] * over, r[1] * over, r[2] * over};
  const double along = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
  const double k[3] = {a[1] * v[2] - a[2] * v[1], a[2] * v[0] - a[0] * v[2], a[0] * v[1] - a[1] * v[0]};
  const double p[3] = {v[0] * c + k[0] * s + a[0] * along * rest, v[1] * c + k[1] * s + a[1] * along * rest,
                       v[2] * c + k[2] * s + a[2] * along * rest};
  const double depth = 1 / p[2], flat[2] = {p[0] * depth, p[1] * depth};
  const double rho = flat[0] * flat[0] + flat[1] * flat[1];
  const double stretch = 1 + rho * (k1 + rho * k2), slope = 2 * (k1 + 2 * k2 * rho);
  // the rotation, and the derivative of the rotated vector in the rotation's parameters
  const double rotation[3][3] = {
      {c + rest * a[0] * a[0], rest * a[0] * a[1] - s * a[2], rest * a[0] * a[2] + s * a[1]},
      {rest * a[1] * a[0] + s * a[2], c + rest * a[1] * a[1], rest * a[1] * a[2] - s * a[0]},
      {rest * a[2] * a[0] - s * a[1], rest * a[2] * a[1] + s * a[0], c + rest * a[2] * a[2]}};
  const double crossed[3][3] = {{0, v[2], -v[1]}, {-v[2], 0, v[0]}, {v[1], -v[0], 0}};  // (e_j x v)[i]
  double by_r[3][3];
  for (int i = 0; i < 3; i++) {
    const double by_angle = -v[i] * s + k[i] * cosine + a[i] * along * s;
    for (int j = 0; j < 3; j++) {
      const double unit = (i == j) - a[i] * a[j];
      const double turning = s * (crossed[i][j] - a[j] * k[i]) + rest * (unit * along + a[i] * (v[j] - a[j] * along));
      by_r[i][j] = turned ? a[j] * by_angle + over * turning : crossed[i][j];
    }
  }
  for (int row = 0; row < 2; row++) {
    const double x = flat[0], y = flat[1];
    const double by_x = flat[row] * slope * x + (row == 0) * stretch;
    const double by_y = flat[row] * slope * y + (row == 1) * stretch;
    const double g[3] = {w * f * by_x * depth, w * f * by_y * depth, -w * f * (by_x * x + by_y * y) * depth};
    Lanes *restrict out = jacobian[row];
    for (int j = 0; j < 3; j++) {
      const double moved = g[0] * rotation[0][j] + g[1] * rotation[1][j] + g[2] * rotation[2][j];
      out[j][lane] = g[0] * by_r[0][j] + g[1] * by_r[1][j] + g[2] * by_r[2][j];
      out[3 + j][lane] = -moved;
      out[11 + j][lane] = moved;
    }
    out[6][lane] = w * flat[row] * stretch;
    out[7][lane] = row == 0 ? w : 0;
    out[8][lane] = row == 1 ? w : 0;
    out[9][lane] = w * f * flat[row] * rho;
    out[10][lane] = w * f * flat[row] * rho * rho;
    out[14][lane] = f * flat[row] * stretch + camera[7 + row][lane] - measured[row][lane];
  }
}

void ba(long count, const double *restrict cameras, const double *restrict points, const double *restrict weights,
        const double *restrict measured, const long *restrict camera_of, const long *restrict point_of,
        double *restrict by_camera, double *restrict by_point, double *restrict by_weight,
        double *restrict slopes) {
  for (long start = 0; start < count; start += LANES) {
    const int lanes = count - start < LANES ? (int)(count - start) : LANES;
    Lanes camera[11], point[3], weight, seen[2], jacobian[2][15];
    for (int lane = 0; lane < LANES; lane++) {
      const long i = start + (lane < lanes ? lane : 0);
      for (int q = 0; q < 11; q++) camera[q][lane] = cameras[camera_of[i] * 11 + q];
      for (int q = 0; q < 3; q++) point[q][lane] = points[point_of[i] * 3 + q];
      for (int q = 0; q < 2; q++) seen[q][lane] = measured[i * 2 + q];
      weight[lane] = weights[i];
    }
#pragma GCC ivdep
    for (int lane = 0; lane < LANES; lane++) one(lane, camera, point, weight, seen, jacobian);
    for (int lane = 0; lane < lanes; lane++) {
      const long i = start + lane;
      for (int row = 0; row < 2; row++) {
        for (int q = 0; q < 11; q++) by_camera[(2 * i + row) * 11 + q] = jacobian[row][q][lane];
        for (int q = 0; q < 3; q++) by_point[(2 * i + row) * 3 + q] = jacobian[row][11 + q][lane];
        by_weight[2 * i + row] = jacobian[row][14][lane];
      }
      slopes[i] = -2 * weight[lane];
    }
  }
}
