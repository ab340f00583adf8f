"""Functions that are wrapped, kept, bound and chosen by type."""

from __future__ import annotations

TEXT = r"""
# partial
t = [2.0]
q = functools.partial(lambda t, x: t[0] * x, t)
> q(x)
! t[0] = 3.0
# keywords of a partial
q = functools.partial(lambda x, v: v * x, v=2.0)
> q(x)
! q.keywords['v'] = 3.0
# attribute of a partial
q = functools.partial(lambda x: x)
q.k = 2.0
> q.k * x
! q.k = 3.0
# derived partial
class P(functools.partial):
    v = 2.0
    def __call__(self, x): return self.v * x
q = P(abs)
> q(x)
! P.v = 3.0
! q.v = 5.0
# partialmethod
class A:
    v = [2.0]
    def of(self, k): return self.v[0] * k
    q = functools.partialmethod(of, 1.0)
a = A()
> a.q() * x
! A.v[0] = 3.0
# cached property
class A:
    v = 2.0
    @functools.cached_property
    def k(self): return self.v
a = A()
> a.k * x
! A.v = 3.0
! del a.k
! a.k = 5.0
# lru_cache
v = [2.0]
@functools.lru_cache
def q(n): return v[0] * n
> q(1) * x
! v[0] = 3.0
! q.cache_clear()
! q(2)
! v[0] = 5.0; q.cache_clear()
# small lru_cache
v = [2.0]
@functools.lru_cache(maxsize=1)
def q(n): return v[0] * n
> q(1) * x
! v[0] = 3.0
! q(2)
! v[0] = 5.0
# cache
v = [2.0]
@functools.cache
def q(): return v[0]
> q() * x
! v[0] = 3.0
! q.cache_clear()
# array in a cache
@functools.lru_cache
def q(): return np.array([2.0])
> q()[0] * x
! q()[0] = 3.0
! q.cache_clear()
# table of what was computed
v = [2.0]
kept = {}
def q(n):
    if n not in kept:
        kept[n] = v[0] * n
    return kept[n]
> q(1) * x
! v[0] = 3.0
! kept[1] = 7.0
! kept.clear()
! q(2)
! v[0] = 5.0
! kept.pop(1)
# singledispatch
@functools.singledispatch
def q(v): return 2.0
> q(1) * x
! q.register(int, lambda v: 3.0)
# singledispatchmethod
class A:
    @functools.singledispatchmethod
    def q(self, v): return 2.0
a = A()
> a.q(1) * x
! A.__dict__['q'].register(int, lambda self, v: 3.0)
# decorator
v = [2.0]
def scaled(f):
    @functools.wraps(f)
    def g(x): return v[0] * f(x)
    return g
@scaled
def q(x): return x
> q(x)
! v[0] = 3.0
! q.__closure__[0].cell_contents = lambda x: 7.0 * x
# __wrapped__
@functools.wraps(abs)
def q(x): return x
> q.__wrapped__(-2.0) * x
! q.__wrapped__ = math.exp
# context manager
v = [2.0]
@contextlib.contextmanager
def held(): yield v[0]
def q():
    with held() as k: return k
> q() * x
! v[0] = 3.0
# comparison of a sort
v = [1.0]
key = functools.cmp_to_key(lambda a, b: v[0] * (a - b))
> sorted([2.0, 3.0], key=key)[0] * x
! v[0] = -1.0
# vectorize
v = [2.0]
q = np.vectorize(lambda a: a * v[0])
> q(np.array([x, x]))[0]
! v[0] = 3.0
! q.pyfunc = lambda a: a * 5.0
# frompyfunc
v = [2.0]
q = np.frompyfunc(lambda a: v[0], 1, 1)
> float(q(1.0)) * x
! v[0] = 3.0
# transformed
v = [2.0]
q = ad.grad(lambda x: v[0] * x * x)
> q(x)
! v[0] = 3.0
# function in a set
v = [2.0]
fs = {lambda: v[0]}
> sum(f() for f in fs) * x
! v[0] = 3.0
# method of a built-in
t = [2.0]
call = t.__getitem__
> call(0) * x
! t[0] = 3.0
# method of a string
s = ['2.0']
call = s.copy
> float(call()[0]) * x
! s[0] = '3.0'
"""
