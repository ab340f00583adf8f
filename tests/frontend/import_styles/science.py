"""Programs of science and engineering, as tutorials have them: objectives of one vector of parameters."""

from __future__ import annotations

import math

import numpy as np
import scipy.fft as sf
import scipy.linalg as la
import scipy.special as sp
from scipy import interpolate, signal

PROGRAMS = {}
T = np.linspace(0.0, 2.0, 21)
GRID = np.linspace(0.0, 1.0, 16)


def at(*start):
    def add(function):
        PROGRAMS[function.__name__] = function, np.array(start)
        return function

    return add


@at(1.2, 0.4, 0.8, 0.3)
def hares_and_lynxes(p):
    state, loss = np.array([1.0, 0.5]), 0.0
    for _ in range(40):
        hares, lynxes = state
        state = state + 0.05 * np.array(
            [p[0] * hares - p[1] * hares * lynxes, p[2] * hares * lynxes - p[3] * lynxes]
        )
        loss += np.sum((state - 1.0) ** 2)
    return loss / 40


@at(0.9, 0.3)
def fit_of_a_differential_equation(p):
    def slope(y, t):
        return -p[0] * y + p[1] * np.cos(t)

    y, total = 1.0, 0.0
    for t in T[:-1]:
        k1 = slope(y, t)
        k2 = slope(y + 0.05 * k1, t + 0.05)
        k3 = slope(y + 0.05 * k2, t + 0.05)
        k4 = slope(y + 0.1 * k3, t + 0.1)
        y = y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        total += (y - np.exp(-t)) ** 2
    return total


@at(0.2, 0.7)
def heat_in_a_rod(p):
    u = p[1] * np.sin(np.pi * GRID)
    for _ in range(12):
        u = np.concatenate([[0.0], u[1:-1] + p[0] * (u[2:] - 2 * u[1:-1] + u[:-2]), [0.0]])
    return np.sum(u**2) + u[5]


@at(0.4, 0.1)
def wave_on_a_ring(p):
    u = np.exp(-40 * (GRID - p[0]) ** 2)
    v = np.zeros_like(u)
    for _ in range(10):
        v = v + p[1] * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
        u = u + v
    return np.dot(u, GRID)


@at(0.3, 0.6, 0.2, 0.9)
def distance_to_shapes(p):
    def circle(q, radius):
        return np.hypot(q[0], q[1]) - radius

    def box(q, size):
        d = np.abs(q) - size
        return np.linalg.norm(np.maximum(d, 0.0)) + min(max(d[0], d[1]), 0.0)

    q = p[:2]
    a, b = circle(q, p[2]), box(q - 0.3, np.array([p[3], 0.1]))
    h = np.clip(0.5 + 0.5 * (b - a) / 0.4, 0.0, 1.0)
    return b * (1 - h) + a * h - 0.4 * h * (1 - h)


@at(0.4, 1.6, 2.0)
def rays_through_a_lens(p):
    height, index, radius = p
    angle = math.asin(height / radius)
    bent = math.asin(math.sin(angle) / index)
    return height / math.tan(angle - bent)


@at(0.8, 0.5, 0.3)
def kinetics_of_reactions(p):
    rates = np.array([[-p[0], p[1], 0.0], [p[0], -p[1] - p[2], 0.0], [0.0, p[2], 0.0]])
    return la.expm(rates)[2, 0]


@at(0.3, 0.5)
def angles_of_a_pendulum(p):
    angle, speed = p
    energy = 0.0
    for _ in range(30):
        speed = speed - 0.05 * (np.sin(angle) + 0.1 * speed)
        angle = angle + 0.05 * speed
        if speed > 0:
            energy += speed * speed
        else:
            energy += 0.5 * speed * speed
    return energy + 1 - np.cos(angle)


@at(0.4, -0.7, 0.3)
def arm_of_a_robot(p):
    angles = np.cumsum(p)
    tip = np.array([np.sum(np.cos(angles)), np.sum(np.sin(angles))])
    return np.sum((tip - np.array([1.5, 0.5])) ** 2) + 0.01 * np.sum(p**2)


@at(1.0, 0.8, 0.3, 0.5, 1.4, 0.2)
def lines_of_a_spectrum(p):
    def gauss(x, height, at_, width):
        return height * np.exp(-0.5 * ((x - at_) / width) ** 2)

    def lorentz(x, height, at_, width):
        return height * width**2 / ((x - at_) ** 2 + width**2)

    model = gauss(T, *p[:3]) + lorentz(T, *p[3:])
    return np.sum((model - np.sin(T)) ** 2)


@at(0.5, 0.2, 0.1)
def deconvolution_by_fourier(p):
    kernel = np.concatenate([p, np.zeros(13)])
    seen = np.sin(6 * GRID) + 0.5
    blurred = np.real(sf.ifft(sf.fft(kernel) * sf.fft(GRID**2)))
    return np.sum((blurred - seen) ** 2) + 0.1 * np.sum(np.abs(sf.rfft(kernel)) ** 2)


@at(0.1, 0.8, 0.3, -0.4, 0.2)
def bending_of_a_spline(p):
    curve = interpolate.CubicSpline(np.linspace(0, 2, 5), p)
    return np.sum((curve(T) - np.cos(T)) ** 2) + 0.01 * np.sum(curve(T, 2) ** 2)


@at(2.0, 3.0, 1.5)
def truss_of_springs(p):
    stiffness = np.diag([p[0] + p[1], p[1] + p[2]])
    stiffness[0, 1] -= p[1]
    stiffness[1, 0] -= p[1]
    return np.dot(np.linalg.solve(stiffness, np.array([1.0, 0.5])), [1.0, 2.0])


@at(1.0, 2.0, 0.3)
def modes_of_vibration(p):
    k = np.array([[p[0] + p[2], -p[2]], [-p[2], p[1] + p[2]]])
    return np.sqrt(np.linalg.eigvalsh(k)).sum()


@at(1.1, 0.4)
def energy_of_atoms(p):
    places = np.stack([np.array([0.0, 0.0]), np.array([p[0], 0.0]), np.array([p[1], 1.0])])
    total = 0.0
    for i in range(3):
        for j in range(i + 1, 3):
            r6 = np.sum((places[i] - places[j]) ** 2) ** -3
            total += 4 * (r6 * r6 - r6)
    return total


@at(0.7, 0.3)
def orbit_of_a_planet(p):
    anomaly, e = p
    x = anomaly
    while abs(x - e * math.sin(x) - anomaly) > 1e-12:
        x = x - (x - e * math.sin(x) - anomaly) / (1 - e * math.cos(x))
    return (math.cos(x) - e) ** 2 + math.sin(x)


@at(3.0, 0.6)
def light_behind_a_slit(p):
    angle = np.linspace(-1.0, 1.0, 11)
    return np.sum(np.sinc(p[0] * angle) ** 2 * sp.j0(p[1] * angle))


@at(0.3, 0.5, 0.2)
def filter_of_a_signal(p):
    noisy = np.sin(5 * T) + 0.3 * np.cos(31 * T)
    smooth = signal.fftconvolve(noisy, p / np.sum(p), mode="same")
    return np.sum((smooth - np.sin(5 * T)) ** 2)


@at(0.6, 0.3, -0.2)
def turned_by_quaternions(p):
    w, (x, y, z) = np.sqrt(1 - np.dot(p, p)), p
    turned = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    return np.sum(np.cross(turned, np.array([0.2, 0.5, 0.9])) ** 2)


@at(1.4, 0.7)
def random_walks_that_meet(p):
    steps = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    powers = np.linalg.matrix_power(steps * p[0], 3)
    return np.einsum("ij,jk->", powers, steps) * sp.gamma(p[1]) + sp.erf(p[1])
