// Gradient of the k-means cost in the centroids, and Newton's direction, for points of up to 8 components, padded to 8:
// blocks of points as columns, whose least distances and their centroids are vectors.
#include <string.h>

#include "scratch.h"

enum { BLOCK = 32, D = 8 };
typedef double Padded[D];

// The sum of the points of each cluster, how many they are, and the centroids, in scratch memory.
typedef struct { Padded *sums, *centroids; double *counts; } Clusters;

static Clusters clusters(long n, long k, long d, const double *restrict points, const double *restrict given) {
  Padded *sums = scratch(k * (2 * sizeof(Padded) + sizeof(double))), *centroids = sums + k;
  double *counts = (double *)(centroids + k);
  memset(sums, 0, k * (2 * sizeof(Padded) + sizeof(double)));
  for (long j = 0; j < k; j++)
    for (long q = 0; q < d; q++) centroids[j][q] = given[j * d + q];
  for (long start = 0; start < n; start += BLOCK) {
    const long rows = n - start < BLOCK ? n - start : BLOCK;
    double columns[D][BLOCK] = {{0}}, least[BLOCK];
    long nearest[BLOCK];
    for (long i = 0; i < rows; i++)
      for (long q = 0; q < d; q++) columns[q][i] = points[(start + i) * d + q];
    for (int i = 0; i < BLOCK; i++) least[i] = 1e300, nearest[i] = 0;
    for (long j = 0; j < k; j++) {
      double square[BLOCK] = {0};
      for (int q = 0; q < D; q++)
        for (int i = 0; i < BLOCK; i++) {
          const double difference = columns[q][i] - centroids[j][q];
          square[i] += difference * difference;
        }
      for (int i = 0; i < BLOCK; i++) {
        const int nearer = square[i] < least[i];
        least[i] = nearer ? square[i] : least[i];
        nearest[i] = nearer ? j : nearest[i];
      }
    }
    for (long i = 0; i < rows; i++) {
      counts[nearest[i]]++;
      for (int q = 0; q < D; q++) sums[nearest[i]][q] += columns[q][i];
    }
  }
  return (Clusters){sums, centroids, counts};
}

void kmeans(long n, long k, long d, const double *restrict points, const double *restrict centroids,
            double *restrict gradient) {
  const Clusters c = clusters(n, k, d, points, centroids);
  for (long j = 0; j < k; j++)
    for (long q = 0; q < d; q++) gradient[j * d + q] = 2 * (c.counts[j] * c.centroids[j][q] - c.sums[j][q]);
}

void kmeans_direction(long n, long k, long d, const double *restrict points, const double *restrict centroids,
                      double *restrict direction) {
  const Clusters c = clusters(n, k, d, points, centroids);
  for (long j = 0; j < k; j++)
    for (long q = 0; q < d; q++) direction[j * d + q] = c.centroids[j][q] - c.sums[j][q] / c.counts[j];
}
