// The gradient of the loss of a character LSTM with elementwise weights. Vectors of `width` components are padded to
// WIDTH; eight values are stored per cell and step, with which the reverse sweep needs no elementary function.
#include <math.h>
#include <string.h>

#include "scratch.h"

enum { WIDTH = 16, MOST_LAYERS = 8 };
typedef double Row[WIDTH];
typedef struct { Row v, h, e, f, g, o, a, tanh_e; } Cell;

static void padded(Row to, const double *from, long width) {
  for (long i = 0; i < WIDTH; i++) to[i] = i < width ? from[i] : 0;
}

#define EACH for (int i = 0; i < WIDTH; i++)
#define LOGISTIC(x) (1 / (1 + exp(-(x))))
#define TANH(x) (1 - 2 / (1 + exp(2 * (x))))

void lstm(long layers, long characters, long width, const double *restrict main_params,
          const double *restrict extra_params, const double *restrict state, const double *restrict sequence,
          double *restrict by_main, double *restrict by_extra) {
  Row w[MOST_LAYERS][4], bias[MOST_LAYERS][4], extra[3];
  Row hidden[MOST_LAYERS], cell[MOST_LAYERS], by_hidden[MOST_LAYERS], by_cell[MOST_LAYERS];
  Row by_w[MOST_LAYERS][4], by_bias[MOST_LAYERS][4], by_x[3];
  for (long l = 0; l < layers; l++) {
    for (int part = 0; part < 4; part++) {
      padded(w[l][part], main_params + (8 * l + part) * width, width);
      padded(bias[l][part], main_params + (8 * l + 4 + part) * width, width);
    }
    padded(hidden[l], state + 2 * l * width, width);
    padded(cell[l], state + (2 * l + 1) * width, width);
  }
  for (int part = 0; part < 3; part++) padded(extra[part], extra_params + part * width, width);
  memset(by_hidden, 0, sizeof by_hidden);
  memset(by_cell, 0, sizeof by_cell);
  memset(by_w, 0, sizeof by_w);
  memset(by_bias, 0, sizeof by_bias);
  memset(by_x, 0, sizeof by_x);

  const long steps = characters - 1;
  Cell *tape = scratch(steps * layers * sizeof(Cell));
  for (long t = 0; t < steps; t++) {
    Row v;
    padded(v, sequence + t * width, width);
    EACH v[i] *= extra[0][i];
    for (long l = 0; l < layers; l++) {
      Cell *restrict c = tape + t * layers + l;
      EACH {
        const double f = LOGISTIC(v[i] * w[l][0][i] + bias[l][0][i]);
        const double g = LOGISTIC(hidden[l][i] * w[l][1][i] + bias[l][1][i]);
        const double o = LOGISTIC(v[i] * w[l][2][i] + bias[l][2][i]);
        const double a = TANH(hidden[l][i] * w[l][3][i] + bias[l][3][i]);
        c->v[i] = v[i], c->h[i] = hidden[l][i], c->e[i] = cell[l][i];
        c->f[i] = f, c->g[i] = g, c->o[i] = o, c->a[i] = a;
        cell[l][i] = cell[l][i] * f + g * a;
        c->tanh_e[i] = TANH(cell[l][i]);
        v[i] = hidden[l][i] = o * c->tanh_e[i];
      }
    }
  }

  const double scale = -1.0 / (steps * width);
  for (long t = steps - 1; t >= 0; t--) {
    const Cell *restrict top = tape + t * layers + layers - 1;
    Row target, v, power, by_v;
    padded(target, sequence + (t + 1) * width, width);
    double normaliser = 2, sum = 0;
    EACH {
      v[i] = top->o[i] * top->tanh_e[i];
      power[i] = i < width ? exp(v[i] * extra[1][i] + extra[2][i]) : 0;
      normaliser += power[i];
      sum += target[i];
    }
    EACH {
      const double by_y = scale * (target[i] - sum * power[i] / normaliser);
      by_x[2][i] += by_y;
      by_x[1][i] += by_y * v[i];
      by_v[i] = by_y * extra[1][i];
    }
    for (long l = layers - 1; l >= 0; l--) {
      const Cell *restrict c = tape + t * layers + l;
      EACH {
        const double by_h = by_hidden[l][i] + by_v[i];
        const double by_o = by_h * c->tanh_e[i] * c->o[i] * (1 - c->o[i]);
        const double by_e = by_cell[l][i] + by_h * c->o[i] * (1 - c->tanh_e[i] * c->tanh_e[i]);
        const double by_f = by_e * c->e[i] * c->f[i] * (1 - c->f[i]);
        const double by_g = by_e * c->a[i] * c->g[i] * (1 - c->g[i]);
        const double by_a = by_e * c->g[i] * (1 - c->a[i] * c->a[i]);
        by_cell[l][i] = by_e * c->f[i];
        by_hidden[l][i] = by_g * w[l][1][i] + by_a * w[l][3][i];
        by_v[i] = by_f * w[l][0][i] + by_o * w[l][2][i];
        by_w[l][0][i] += by_f * c->v[i], by_bias[l][0][i] += by_f;
        by_w[l][1][i] += by_g * c->h[i], by_bias[l][1][i] += by_g;
        by_w[l][2][i] += by_o * c->v[i], by_bias[l][2][i] += by_o;
        by_w[l][3][i] += by_a * c->h[i], by_bias[l][3][i] += by_a;
      }
    }
    padded(v, sequence + t * width, width);
    EACH by_x[0][i] += by_v[i] * v[i];
  }
  for (long l = 0; l < layers; l++)
    for (int part = 0; part < 4; part++)
      for (long i = 0; i < width; i++) {
        by_main[(8 * l + part) * width + i] = by_w[l][part][i];
        by_main[(8 * l + 4 + part) * width + i] = by_bias[l][part][i];
      }
  for (int part = 0; part < 3; part++)
    for (long i = 0; i < width; i++) by_extra[part * width + i] = by_x[part][i];
}
