"""Idioms of real code, as texts that `python_idioms` fills in.

T is a variable of floats, V one of vectors, K one of integers, Z a new one; F is an expression for a float,
G a short one, W one for a vector, I one for an integer; << >> encloses alternatives. `OUTSIDE` is what stands
before the function.
"""

from __future__ import annotations

OUTSIDE = """
calls = 0
scale = 0.75
class Body:
    count = 0
    kinds = {"heavy": 2.0, "light": 0.5}
    def __init__(self, mass, *rest, drag=0.1, **more):
        self.mass, self.drag = mass, drag
        self.path = [*rest]
        self._cache = None
        self.more = more
    @property
    def weight(self):
        return self.mass * 9.81 if self.mass > 0 else 0.0
    @weight.setter
    def weight(self, value):
        self.mass = value / 9.81
    @staticmethod
    def clipped(x, low=-1.0, high=1.0):
        if x < low:
            return low
        elif x > high:
            return high
        return x
    @classmethod
    def of_kind(cls, kind, mass=1.0):
        return cls(mass * cls.kinds[kind])
    def step(self, force, dt=0.1):
        self.mass = self.mass + dt * (force - self.drag * self.mass)
        self.path.append(self.mass)
        return self
    def energy(self):
        if self._cache is None:
            self._cache = 0.5 * self.mass ** 2
        return self._cache
    def __call__(self, x):
        return x * self.mass if x < self.mass else self.mass
    def __getitem__(self, k):
        return self.path[k]
    def __len__(self):
        return len(self.path)
    def __iter__(self):
        return iter(self.path)
    def __contains__(self, x):
        return any(abs(x - p) < 0.1 for p in self.path)
    def __add__(self, other):
        return Body(self.mass + (other.mass if isinstance(other, Body) else other))
    def __lt__(self, other):
        return self.mass < other.mass
    def __bool__(self):
        return len(self.path) > 0
class Heavy(Body):
    def energy(self):
        found = super().energy()
        return found if found > 0.1 else found * 2
def total(*parts, weight=1.0, **named):
    s = 0.0
    for p in parts:
        s += p * weight
    for name, p in sorted(named.items()):
        if name != "skip":
            s -= p
    return s
def first_root(f, low, high, steps=12):
    if f(low) * f(high) > 0:
        return None
    for _ in range(steps):
        mid = 0.5 * (low + high)
        if f(low) * f(mid) <= 0:
            high = mid
        else:
            low = mid
    return 0.5 * (low + high)
def describe(x, digits=2):
    if x is None:
        return "none"
    return "small" if abs(x) < 0.5 else "large"
def guarded(x):
    if x < -5:
        raise ValueError(f"low: {x}")
    return x * 0.5
def tracked(x):
    global calls
    calls += 1
    return x + 0.01 * calls
"""

LINES = """
T = round(F, <<2|3>>)
K = round(F)
T = float(round(F * 4)) / 4
T = abs(min(F, G, key=abs))
T = max([F, G, 0.2], key=lambda e: -e)
T = max(W) - min(W, default=0.0)
T = sorted(<<v|items|[x, y, c]>>, reverse=True)[<<0|-1>>]
T = sorted(zip(v, u), key=lambda e: e[0])[0][1]
T = sorted([a, b, c], key=lambda e: abs(e - G))[0]
T = 0.5 if -1 < F <= G < 2 else G
T = G if F in (0, 1, G) else F
T = np.sum([F if e > G else e for e in V])
T = sum(e for e in V if e > G)
T = sum(Z * Z2 for Z, Z2 in zip(V, range(4)))
T = sum([e * F for e in V if <<e > G|not e < F|F < e < G|e > F and e < 2>>])
T = len([e for e in items if e > F]) * 0.5 + sum(1 for e in V if e < G)
T = max((e for e in V if e > G), default=F)
T = min([math.sqrt(e) for e in W if e > 0], default=G)
T = sum(Z * Z2 for Z in V for Z2 in items if Z > Z2)
T = sum(e for e in [Z * 2 for Z in V if Z > G] if e < F)
T = <<min|max>>(V, key=lambda e: abs(e - F))
T = <<min|max>>(range(len(V)), key=lambda e: V[e]) * 0.5
T = <<min|max>>((abs(e - F), Z) for Z, e in enumerate(V))[<<0|1>>]
T = {'p': F, 'q': G}[<<min|max>>('pq', key={'p': a, 'q': b}.get)]
T = float(any(e > F for e in V if e < G)) + float(all(e > F for e in items))
T = sum(sorted(W, key=abs, reverse=True)[:2]) + sorted((e, k) for e in items)[0][0]
T = sum(itertools.<<takewhile|dropwhile|filterfalse>>(lambda e: e < F, V))
T = sum(e * 0.5 for e in filter(lambda e: e > G, V))
T = functools.reduce(lambda Z, e: Z + e * e, [e for e in V if e > F], G)
T = float(np.sum([e * e for e in V if e > F])) + np.array([e for e in items if e < G]).sum()
T = sum(Z * e for Z, e in enumerate([e for e in V if e > G]))
T = (statistics.mean(V) + statistics.stdev(W)) * 0.5 + statistics.median([a, b, F])
T = math.fsum(e for e in V if e > G) + math.prod(e for e in items if e > F)
T = next((e for e in items if e > G), F)
T = dict(zip('pqr', [a, b, c]))[<<'p'|'r'>>]
T = {k: e * 2 for k, e in enumerate(V)}[<<0|3>>]
T = [[e * f for e in items] for f in pair][1][0]
T = math.<<sqrt|log1p|floor|exp>>(min(abs(F), 3))
T = math.hypot(F, G) + math.copysign(0.5, G)
T = float(bool(F > G)) + int(F < 0)
T = (lambda e, *r, s=2: e * s + sum(r))(F, G, 0.1)
T = ((Z := F) - 1) * Z if G > 0 else F
T = not F > G and F or G
T = (F or 0.3) * 0.5
T = len(f'{len(v):>5}-{n!r:.0}') * 0.1
T = total(*<<items|v|pair>>, weight=F, skip=1, extra=G)
T = total(a, *[b, c], **{'one': F})
T = np.clip(F, min(G, 0), max(G, 1))
T = np.where(F > 0, G, -G)
T = guarded(F)
T = tracked(F)
T = divmod(F, 1.5)[1] + G % 0.7 - G // 2
V[I % 4] <<+=|-=|*=|/=|**=>> <<2|1.5>>
M[I % 2, 1:] <<+=|*=>> F
V[V < G] = F
V[[1, 3]] <<=|+=>> [F, G]
np.add(V, G, out=V)
V = np.sort(W)
V = np.array(sorted(V, key=lambda e: -e))
V = np.array([e if e > G else F for e in V])
V = np.stack([F, G, *V[:2]])
V = np.zeros_like(V) + F
V = np.asarray([*map(lambda e: max(e, G), V)])
*Z, T = V
T, b = sorted((F, b))
items = sorted(items, key=lambda e: <<e|-e|abs(e)>>)
items[:2] = [F, items[0]]
table.update(s=F)
T = table.get('none', F) + table.setdefault('n', 2)
T += scale * Body.clipped(F, high=G + 1)
T = V[np.where(W > G)[0]].sum() + V[V > G][1:].sum()
T = len(np.where(W > G)[0]) * 0.5 + np.flatnonzero(V < G).size
T = V[np.where(V > G)[0][<<0|-1>>]] if np.any(V > G) else F
V[np.nonzero(W > G)] <<=|+=|*=>> F
"""

LOOPS = """
for Z in np.where(W > G)[0]:
    T += V[Z] * 0.1

for Z in np.flatnonzero(V > G):
    V[Z] = F
    if Z > n:
        break

Z = np.where(V > G)[0]
if len(Z) > 1:
    T = V[Z[0]] - V[Z[-1]] + Z[np.argmax(V[Z])]

Z = np.where(V > G)[0]
if Z.size == 0:
    T = F
else:
    T = V[Z[-1]]

for Z, e in enumerate(V, start=1):
    T += e / Z if e > G else 0.0

for Z in range(len(V)):
    if V[Z] > G:
        V[Z] = F
        break
else:
    T = G

Z = 0
while Z < 5:
    T = np.sin(T) + 0.1 * Z
    Z += 1
    if T > G:
        break
else:
    T = F

while abs(T) > 1.0:
    T /= 2
    k = (k + 1) % 7

Z = []
for e in V:
    Z.append(e * G if e > 0 else F)
V = np.array(Z)

Z = []
for e in range(3):
    if e == n % 3: continue
    Z += [e * G]
T = sum(Z)

Z = {}
for e, w_ in zip('abcd', v):
    Z[e] = w_ if w_ < G else Z.get('a', F)
T = sum(Z.values()) * 0.3

Z = -1e3
for e in V:
    if e > Z:
        Z = e
T = Z

Z, Zk = V[0], 0
for e in range(1, 4):
    if V[e] < Z:
        Z, Zk = V[e], e
T = Z + Zk

for Z in range(2):
    for e in range(3):
        if M[Z, e] > G: break
        M[Z, e] = G
    else:
        T = M.sum() * 0.1
        continue
    T = -0.25 * Z

for Z in range(4):
    for e in range(Z):
        if V[e] > V[Z]:
            V[e], V[Z] = V[Z], V[e]

Z = iter(V)
T = next(Z)
for e in Z:
    T = T * 0.5 + e

for Z in zip(V, V[1:]):
    T += abs(Z[1] - Z[0]) * 0.1

Z = 20
while Z > 0 and T < 2:
    Z -= 1
    T += 0.2 if G > 0 else 0.1
k = Z % 5

for Z in np.ndindex(2, 3):
    if M[Z] < G: M[Z] = F

for Z in range(18):
    T = T * 0.9 + (0.1 if T < G else -0.05)
    v[Z % 4] += 0.01 * T

for Z in reversed(items):
    if Z > G:
        T = Z
        break
"""

OBJECTS = """
Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
T = Z.step(G).step(F, dt=0.2).energy()

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
Z.mass <<+=|*=>> F
T = Z.weight * 0.1

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
Z.weight = F
T = Z(G)

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
if G > 0: Z.mass = F
T = Z.mass

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
for e in range(3): Z.step(G)
T = Z[-1] + len(Z) + sum(Z)

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
while Z.mass < 1 and len(Z) < 4: Z.step(3.0)
T = Z.mass

Z = max(<<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>, Body(G))
T = Z.mass

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>> + Body(0.5) + 0.25
T = Z.energy() + Z.energy()

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
T = 1.0 if Z else F
T += 0.5 if G in Z else 0.0

Z = [Body(e) for e in items]
T = sum(e.energy() for e in Z if e.mass > G)

box.limit = F
T = box.scaled(G, 0.5)

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
setattr(Z, 'drag', F)
T = getattr(Z, 'drag') + getattr(Z, 'none', 0.5)

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
Z.path.append(F)
Z.path[0] *= 2
T = Z.path[0]

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
if T > G:
    Z.mass <<=|+=|*=>> F
else:
    Z.drag, Z.mass = F, G
T = Z.mass + Z.drag

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
if F > G: Z.count += 1
T = Z.count + Z.mass

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
Z.v = W
if F > G: Z.v[I % 4] <<=|+=|*=>> G
T = Z.v.sum()

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
Z.v = V
if F > G: Z.v[1:] += G
T = V.sum() + Z.v[1]

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
Z.more['by'] = F
if G > 0: Z.more['by'] <<=|+=>> T
T = Z.more['by']

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
Z.path = [F, G]
if T > 0: Z.path[n % 2] = T
T = Z.path[0] - Z.path[1]

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
if F > G: Z.weight = T
elif T > 1: Z.mass = -T
T = Z.mass

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
if T > 0: Z.last = F
else: Z.last = G
T = Z.last

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
Zk = 0
while Z.mass < G and Zk < 5:
    Z.mass += 0.3
    Zk += 1
T = Z.mass

Z = <<Body(F)|Heavy(G, x, y, drag=F)|Body.of_kind('heavy', x)|Body(G, kind='z')>>
for e in V:
    if e > Z.mass:
        Z.mass = e
        Z.drag = F
T = Z.mass - Z.drag

Z = [Body(F), Heavy(G)]
for e in Z:
    if e.mass > T: e.mass = T
T = Z[0].mass - Z[1].energy()

Z = Body(F)
Z2 = Z
if G > 0: Z2.mass *= 2
T = Z.mass

if F > G: box.limit <<=|+=>> T
T = box.scaled(G, 0.5)

def Z(e):
    if e > G: box.limit = e
    return box.limit
T = Z(F) - Z(G)

def Z(e):
    e.mass = e.mass * 0.5 + F
    return e
Z2 = Body(G)
if T > 0: Z(Z2)
T = Z2.mass
"""

FUNCTIONS = """
def Z(e, low=F, *, high=1.5):
    if e < low: return low
    if e > high: return high
    return e
T = Z(G) + Z(G, high=0.5) + Z(G, -1)

def Z(*e, **w_):
    return sum(e) * w_.get('by', 0.5) if len(e) > 1 else e[0]
T = Z(F) + Z(G, *pair, by=G)

def Z(e):
    def deeper(g):
        nonlocal e
        if g > G:
            e = e * 0.5
        return e + g
    return deeper(F) + e
T = Z(G)

Z = functools.partial(helper, F)
T = Z(G)

Z = [lambda e, s=s: e * s if e > 0 else s for s in (0.5, G)]
T = Z[0](F) + Z[-1](G)

Z = first_root(lambda e: e ** 3 + e - G, -3.0, 3.0)
T = Z

Z = describe(F)
T = 0.5 if Z == 'small' else 0.25

def Z(e):
    try:
        if e > G: return e * 2
        e = e - 1
    finally:
        k_ = 3
    return e
T = Z(F)

def Z(e, depth=3):
    if depth == 0 or e > G: return e
    return 0.5 * Z(e + 0.3, depth - 1)
T = Z(F)

def Z(e):
    for j in range(3):
        if e * j > G:
            return j * e
    return -e
T = Z(F)

def Z(w_):
    w_ = w_.copy()
    w_[w_ > G] = F
    return w_
v = Z(v)

def Z(w_):
    w_[1] = F
    if w_[0] > G: w_[2] += 1
Z(u)

T = functools.reduce(lambda s, e: s if s > e else e, items, G)

apply = lambda h, *r: h(*r)
T = apply(max, F, G) + apply(helper, G, 0.5)

k, T = (lambda e: (1, e) if e > G else (2, -e))(F)
"""

COLLECTIONS = """
match ('n', n % 3):
    case ('n', 0):
        T = F
    case (kind, 1) if kind == 'n':
        T = G
    case _:
        T = 0.5

match {'kind': 'circle', 'r': a}:
    case {'kind': 'square', 'r': r}:
        T = r * r
    case {'kind': 'circle' | 'disc', 'r': r, **rest}:
        T = r if r > G else F

match [a, b, c]:
    case [first, *rest] if len(rest) == 2:
        T = sum(rest) - first

match Box(F):
    case Box(limit=e) if n > 1:
        T = e
    case Box(limit=e):
        T = -e

Z = [x, y]
if n > 2: Z.append(F)
Z.insert(0, G)
T = Z.pop() - len(Z)

Z = items.copy()
Z.sort()
Z.reverse()
T = Z[0] - Z[-1]

Z = dict(p=F, q=G)
Z['p'] += Z.pop('q')
T = Z['p']
del Z['p']

Z = [[0.0] * 3 for _ in range(2)]
for e in range(2): Z[e][e] = F
M = np.array(Z) + M * G

Z = {'f': helper, 'g': inner}
T = Z['f'](F, G) + Z['g'](G)

Z = (a, (b, [c, F]))
(T, (_, [_, b])) = Z

Z = [*items, *pair][::2]
T = sum(Z) / len(Z)

Z = list(filter(lambda e: e is not None, [a, None, F]))
T = Z[-1]

Z = [e for e in V if e > F]
T = max(Z) - min(Z) if Z else G

Z = [e for e in items if e > F] + [G]
Z2 = sum(Z) / len(Z)
T = sum((e - Z2) ** 2 for e in Z)

Z = [(Z2, e) for Z2, e in enumerate(V) if e > G]
for Z2, e in Z: T = T + Z2 * e

Z = sorted(e for e in V if e < F)
if len(Z) > 1: T = Z[0] - Z[-1]

Z = [e * 0.5 for e in W if e > G]
for e in Z: T = T + e if T < 9 else T

Z = list(V)
Z.sort(key=lambda e: (e > F, -e))
T = Z[0] + Z.index(max(Z)) * 0.5

Z = [(a, 'a'), (b, 'b')]
T = sum(e * 2 if name == 'a' else e for e, name in Z)

Z = [0.0, 0.0, 0.0]
Z[n % 3] = F
Z[k % 3] += G
T = Z[0] - Z[2]

Z = table['t']
Z[0] = F
table['t'] = Z * 2 if G > 0 else Z
"""

ENDINGS = """
if G > F > 1.2:
    return (a, b, c), k, m, p, q, (v, w), u, M, pair, items, table

try:
    T = guarded(F)
except ValueError:
    T = G

try:
    T = items[n]
except IndexError:
    T = G

try:
    T = table['missing']
except (KeyError, TypeError) as error:
    T = F if 'missing' in str(error) else 0.0
else:
    T = -1.0
finally:
    k += 1

try:
    if G > 1:
        return (a, b, c), k, m, p, q, (v, w), u, M, pair, items, table
    T = F
finally:
    m = (m + 1) % 5

if not isinstance(T, str) and G > 3:
    raise ValueError('too large')

assert np.isfinite(F), 'finite'
assert -50 < G < 50

with Box(F) as Z:
    T = Z.scaled(G, 0.25)
    if T > 2:
        T = 2.0

if n < 0: raise KeyError(n)
T = F

if T is None or G > 4:
    return (a, b, c), k, m, p, q, (v, w), u, M, pair, items, table
elif F > 0:
    T -= 0.1

for Z in range(3):
    if T > G:
        return (a, b, c), k, m, p, q, (v, w), u, M, pair, items, table
    T += 0.3
"""
