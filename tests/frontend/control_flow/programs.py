"""Functions in plain Python control flow, with points at which they go different ways.

`PROGRAMS` lists each with its points; the first argument is differentiated where it is a float or an array of
floats. Run by Python itself they are their own witnesses.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = []
rng = np.random.default_rng(7)


def at(*points: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a program with its points; a point that is not a tuple is the only argument."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, [p if isinstance(p, tuple) else (p,) for p in points]))
        return function

    return add


# Iterations --------------------------------------------------------------------------------------


@at(2.0, 9.0, 0.25)
def newton(a):
    x = a
    while abs(x * x - a) > 1e-13 * a:
        x = 0.5 * (x + a / x)
    return x


@at((0.3, 0.0, 2.0), (1.5, 0.0, 2.0))
def bisection(target, low, high):
    while high - low > 1e-9:
        middle = (low + high) / 2
        if middle**3 + middle < target:
            low = middle
        else:
            high = middle
    x = (low + high) / 2
    return x - (x**3 + x - target) / (3 * x**2 + 1)


MISSING = object()


@at(2.2, 0.3)
def asked_for_identity(a, kept=None, default=MISSING):
    x = y = np.stack([a, a])
    same = 1.0 if x is y and x is not y * 1.0 else 0.0
    if kept is None and default is MISSING:
        while a > 1:
            a = a / 2 if kept is None else a / 3
    return a + same


@at(2.0, 0.3)
def asked_for_identity_behind_branches(a):
    x, y, kept = np.stack([a, a]), np.stack([a, a, a]), [a]
    if a > 1:
        x, y = x * 2.0, y * 3.0
    differ = x is not y and x[:, None] is not x and kept is not (a,) and a is not x and y is not kept
    return np.sum(x) + np.sum(y) if differ else a


@at((0.52, 1), (0.52, 3), (0.52, 30))
def left_after_a_first_iteration(x, n):
    for k in range(18, 2, -1):  # noqa: B007
        if n > 17:
            continue
        if n:
            break
        x = x * 0.9
    for j in range(16):
        if x * j > n:
            break
    return x * k + j


@at((0.5, 0), (0.9, 3), (3.0, 5), (0.001, 2))
def assigned_by_the_test(x, n):
    total, k = 0.0, 0
    while (y := x * (k + 1)) < 2 and (k := k + 1) < 30:
        total += y
        if k > n > 1:
            break
        if total > 3:
            continue
        x = x * 1.1
    else:
        total = total + 100.0
    while (error := abs(x - 1.0)) > 0.5:
        if n > 4:
            return total + error
        x = 0.5 * x + 0.5
    return total * y + error


@at((0.5, 2.0), (1.5, 0.3), (-0.5, 1.0))
def assigned_by_branches(x, y):
    a, b = 0.0, 1.0
    if (x > 0 and (a := x * y) > 0.9) or not (x < 1 or (b := x + y) < 1.5):
        a = a + np.sin(b)
    if x > 5 and (a := 3.0) > y:
        return a
    return a * b + x


@at((27,), (97,), (1,))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@at((1.3, 3), (-5.0, 2), (4.1, 0))
def numbers_as_conditions(x, n):
    while 1:
        x = x * 0.5 - 0.1
        if x < 0.1:
            break
    while n and (x > -5 or None is None) and n < 9:
        n -= 1
        x += 0.25
    return x if n or not x else 2 * x


@at((1.0, 3.0), (-0.5, 0.2))
def functions_as_arguments(x, y):
    items = [*map(larger_of, [x, y, 1.0], (y, x, 0.0))]
    return functools.reduce(larger_of, items) * x + sum(items)


def larger_of(one, other):
    if one > other:
        return one
    return other


@at((48, 36), (17, 5), (7, 0))
def greatest_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


@at((1.3, 5), (0.7, 12), (2.0, 0))
def power(x, n):
    result = 1.0
    while n > 0:
        if n % 2 == 1:
            result *= x
        x *= x
        n //= 2
    return result


@at(rng.uniform(size=(3, 3)) + np.eye(3))
def power_iteration(a):
    v = np.ones(3)
    old, value = 0.0, 1.0
    while abs(value - old) > 1e-13:
        w = a @ v
        old = value
        value = np.sqrt(w @ w)
        v = w / value
    return value


@at(0.5, 3.0, 30.0)
def exponential_series(x):
    total, term, k = 1.0, 1.0, 1
    while True:
        term = term * x / k
        if abs(term) < 1e-16 * total:
            break
        total += term
        k += 1
    return total


@at((0.4, 0.6), (0.1, 0.2), (2.0, 1.0))
def escape_time(x, y):
    u = v = 0.0
    for k in range(40):
        u, v = u * u - v * v + x, 2 * u * v + y
        if u * u + v * v > 4:
            return k + u
    return 40 + u


@at(1.2, 0.4, 2.8)
def fixed_point_of_cosine(x):
    for _ in range(200):
        new = math.cos(x) * 0.9 + 0.01 * x
        if abs(new - x) < 1e-12:
            break
        x = new
    return x


@at((1.0, 0.3), (2.0, 0.9), (0.5, 0.0))
def kepler(m, e):
    anomaly = m if e < 0.8 else math.pi
    for _ in range(50):
        step = (anomaly - e * math.sin(anomaly) - m) / (1 - e * math.cos(anomaly))
        anomaly -= step
        if abs(step) < 1e-14:
            break
    return anomaly


# Branches ----------------------------------------------------------------------------------------


@at(-2.0, -0.5, 0.3, 1.7, 9.0)
def piecewise(x):
    if x < -1:
        return -x
    elif x < 0:
        return x * x
    elif x < 1:
        return math.sin(x)
    if 1 <= x < 4:
        y = x**1.5
    else:
        y = 8 + (x - 4) / 3
    return y


@at(20_000.0, 60_000.0, 300.0, 130_000.0)
def income_tax(income):
    tax, lower = 0.0, 0.0
    for upper, rate in ((11_000.0, 0.0), (50_000.0, 0.2), (100_000.0, 0.4)):
        if income <= upper:
            return tax + rate * (income - lower)
        tax += rate * (upper - lower)
        lower = upper
    return tax + 0.45 * (income - lower)


@at((0.4, -1.0), (0.4, 2.0), (-3.0, 2.0), (-3.0, -1.0))
def logic(x, y):
    if (x > 0 and y > 0) or not (x > -1 or y < 0):
        z = x * y
    elif -5 < x <= 1 < y + 4:
        z = x - y
    else:
        z = 0.0
    return z + (1 if x > y else 2) * x


@at((2.0, 0.0), (2.0, 4.0), (-3.0, 0.1))
def guarded_division(x, y):
    if y != 0 and x / y > 1:
        return x / y
    return x if x > 0 else -2 * x


@at((3.0, 1), (3.0, 2), (3.0, 5), (3.0, -1))
def choice_of_functions(x, k):
    def square(t):
        return t * t

    def twice(t, factor=2):
        return factor * t

    if k in (1, 5):
        y = square(x)
    elif k == 2:
        y = twice(x)
    else:
        y = (lambda t: t / 4)(x) if k < 0 else x
    return y


@at((0.5, 1.0), (3.0, 2.0), (-3.0, 2.0))
def huber(x, width):
    size = abs(x)
    return 0.5 * size**2 if size <= width else width * (size - 0.5 * width)


@at((1.0, 2.0, 3.0), (3.0, 1.0, 2.0), (2.0, 3.0, 1.0))
def median_of_three(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return b


@at((5.0, 4.0, 3.0), (1.0, -4.0, 3.0), (1.0, 2.0, 5.0))
def largest_root(a, b, c):
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return -b / (2 * a)
    root = math.sqrt(discriminant)
    return max((-b - root) / (2 * a), (-b + root) / (2 * a))


@at(np.array([0.5, -1.0, 2.0]), np.array([-0.5, -1.0, -2.0]))
def none_is_positive(x):
    if any(x > 0) and not all(x > 0):
        return np.sum(x[0] * x)
    return np.sum(x)


# Arrays ------------------------------------------------------------------------------------------


@at((1.1, np.array([2.0, -1.0, 0.5, 3.0])), (-0.4, rng.normal(size=40)))
def horner(x, coefficients):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


@at(rng.normal(size=7), np.arange(7.0)[::-1])
def insertion_sort(a):
    a = a.copy()
    for i in range(1, len(a)):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            a[j - 1], a[j] = a[j], a[j - 1] + 0.0
            j -= 1
    return np.sum(a * np.arange(len(a)))


@at(rng.normal(size=20))
def bubble_sort(a):
    a = a + 0.0
    changed = True
    while changed:
        changed = False
        for i in range(len(a) - 1):
            if a[i] > a[i + 1]:
                t = a[i] + 0.0
                a[i] = a[i + 1]
                a[i + 1] = t
                changed = True
    return np.sum(a * np.cos(np.arange(20)))


@at(rng.normal(size=(4, 4)))
def gram_schmidt(a):
    q = np.zeros((4, 4))
    for i in range(4):
        v = a[:, i]
        for j in range(i):
            v = v - (q[:, j] @ a[:, i]) * q[:, j]
        norm = np.sqrt(v @ v)
        if norm > 1e-8:
            q[:, i] = v / norm
    return np.sum(q * np.sin(np.arange(16)).reshape(4, 4))


@at((np.array([1.0, 2.0, 1.5, 0.7]), np.array([3, 1, 2, 2, 0]), np.array([1, 2, 2, 3, 0, 1])))
def edit_distance(cost, a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        d[i, 0] = i * cost[0]
    for j in range(m + 1):
        d[0, j] = j * cost[1]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            change = 0.0 if a[i - 1] == b[j - 1] else cost[2] + cost[3]
            d[i, j] = min(d[i - 1, j] + cost[0], d[i, j - 1] + cost[1], d[i - 1, j - 1] + change)
    return d[n, m]


@at((rng.normal(size=(3, 3)), rng.normal(size=(25, 3))))
def viterbi(transitions, scores):
    best = scores[0]
    for row in scores[1:]:
        new = np.zeros(3)
        for k in range(3):
            top = best[0] + transitions[0, k]
            for j in range(1, 3):
                candidate = best[j] + transitions[j, k]
                if candidate > top:
                    top = candidate
            new[k] = top + row[k]
        best = new
    return max(best)


@at((np.linspace(0, 1, 30), 0.43), (np.linspace(0, 1, 30), -1.0), (np.linspace(0, 1, 30), 2.0))
def interpolated(grid, x):
    if x <= grid[0]:
        return grid[0] ** 2
    for i in range(len(grid) - 1):
        if x < grid[i + 1]:
            w = (x - grid[i]) / (grid[i + 1] - grid[i])
            return (1 - w) * grid[i] ** 2 + w * grid[i + 1] ** 2
    return grid[-1] ** 2


@at((np.arange(50.0), 31.5), (np.arange(50.0), -3.0), (np.arange(50.0), 80.0))
def binary_search(a, x):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low + 0.0 * a[0]


@at(rng.normal(size=30), np.ones(30), -np.arange(1.0, 31.0))
def longest_run(x):
    best = run = 0
    weight = 0.0
    for value in x:
        if value <= 0:
            run = 0
            continue
        run += 1
        if run > best:
            best = run
        weight += value * run
    return weight + best


@at(rng.uniform(0.1, 1, size=25))
def largest_drawdown(x):
    peak, worst = x[0], 0.0
    for k, value in enumerate(x):
        if value > peak:
            peak = value
        drop = (peak - value) / peak
        if drop > worst:
            worst = drop
        if k == 20:
            break
    return worst


@at((rng.normal(size=20), rng.normal(size=20)))
def paired(x, y):
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += a * b if a < b else a - b
    return total


@at((rng.normal(size=(5, 6)), 0.3), (np.zeros((5, 6)), 0.3))
def nested_breaks(a, limit):
    count, total = 0, 0.0
    for i in range(5):
        for j in range(6):
            if a[i, j] > limit:
                break
            total += a[i, j] ** 2
        else:
            count += 1
            continue
        if total > 4:
            break
    return total + count


@at(rng.normal(size=18))
def sieve_of_signs(x):
    y = np.zeros(18)
    i = 0
    while i < 18:
        if x[i] < 0:
            i += 2
            continue
        y[i] += x[i] ** 2
        i += 1
    return y.sum()


@at((np.eye(3) * 2 + rng.uniform(size=(3, 3)), np.arange(3.0)))
def gaussian_elimination(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        row, value = a[pivot].copy(), b[pivot] + 0.0
        a[pivot], b[pivot] = a[k], b[k]
        a[k], b[k] = row, value
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i] -= factor * a[k]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i] @ x) / a[i, i]
    return np.sum(x)


# Simulations -------------------------------------------------------------------------------------


@at(1.0, 2.5)
def adaptive_step(y):
    t, h = 0.0, 0.1
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        k1 = -y * y
        k2 = -((y + h * k1) ** 2)
        error = abs(h * (k2 - k1)) / 2
        if error < 1e-3:
            t += h
            y += h * (k1 + k2) / 2
            h *= 1.2
        else:
            h /= 2
    return y


@at((1.0, 0.0), (3.0, -1.0))
def bouncing_ball(height, speed):
    bounces = 0
    for _ in range(300):
        speed -= 9.81 * 0.005
        height += speed * 0.005
        if height < 0:
            height = -height
            speed = -0.8 * speed
            bounces += 1
            if bounces == 3:
                break
    return height + 0.1 * speed


@at((np.array([0.0, 1.0, 3.0]), np.array([1.0, -0.5, -1.0])))
def collisions(x, v):
    x, v = x + 0.0, v + 0.0
    for _ in range(60):
        x += 0.02 * v
        for i in range(2):
            if x[i] > x[i + 1] and v[i] > v[i + 1]:
                left = v[i] + 0.0
                v[i] = v[i + 1]
                v[i + 1] = left
    return x @ v


@at((0.2, 40), (0.2, 0), (0.5, 7))
def logistic_map(x, n):
    for _ in range(n):
        x = 3.2 * x * (1 - x)
    return x


@at((2.0, 3, 30), (2.0, 10, 2))
def counted_down(x, start, stop):
    total = 0.0
    for i in range(start, stop, 3):
        if i % 2:
            total += x / (1 + i)
    return total


@at(1.5, -1.5)
def thermostat(outside):
    temperature, heating, energy = 15.0, False, 0.0
    for _hour in range(48):
        if temperature < 18:
            heating = True
        elif temperature > 21:
            heating = False
        power = 3.0 if heating else 0.0
        energy += power
        temperature += 0.1 * (outside - temperature) + power
    return temperature + 0.01 * energy * temperature


def distance(x, y):
    if x < y:
        return y - x
    return x - y


@at((1.0, 2.5), (3.0, -2.0))
def through_a_helper(x, y):
    total = 0.0
    for scale in (1.0, 2.0):
        total += distance(scale * x, y) * scale
    return total


class Oscillator:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def force(self, x):
        if abs(x) > 1:
            return -self.stiffness * x
        return -x

    def run(self, x):
        v = 0.0
        for _ in range(100):
            v += 0.02 * self.force(x)
            x += 0.02 * v
        return x


@at(0.7, 2.0)
def method_of_an_object(x):
    return Oscillator(1.3).run(x)


@at((0.5, 3), (0.5, 0))
def recursive(x, n=3):
    def go(k, y):
        return y if k == 0 else go(k - 1, math.sin(y) if y > 0.3 else y + 0.1)

    if n > 1:
        return go(4, x)
    return x


@at(0.25, 1.25, 9.0)
def calls_itself(x, depth=3):
    if depth == 0:
        return x
    return calls_itself(x / 2 if x > 0.5 else x + 0.1, depth - 1)


@at((np.array([1.0, -2.0, 3.0]),))
def in_place_through_an_alias(x):
    y = x.copy()
    z = y
    for i in range(3):
        if y[i] < 0:
            y[i] = -y[i] * 2
    return np.sum(z * np.arange(3.0))


@at((1.1, 3), (2.1, 17))
def last_value_of_the_index(x, n):
    for i in range(20):
        if i * x > n:
            break
    return x * i


@at((0.3, 2), (0.3, 30))
def returns_in_nested_loops(x, n):
    for i in range(20):
        for j in range(20):
            if i * j > n:
                return x * (i + 2 * j)
    return x
