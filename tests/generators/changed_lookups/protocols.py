"""Methods that Python calls by itself: special methods."""

from __future__ import annotations

TEXT = r"""
# __len__
class A:
    def __len__(self): return n[0]
n = [2]
a = A()
> len(a) * x
! n[0] = 3
# __bool__
class A:
    def __bool__(self): return n[0]
n = [True]
a = A()
> (2.0 if a else 3.0) * x
! n[0] = False
# truth by a length that comes
class A: pass
a = A()
> (2.0 if a else 3.0) * x
! A.__len__ = lambda s: 0
! A.__bool__ = lambda s: True
# __index__
class A:
    def __index__(self): return n[0]
n = [0]
a = A()
t = [2.0, 3.0]
> t[a] * x
! n[0] = 1
# __float__
class A:
    def __float__(self): return n[0]
n = [2.0]
a = A()
> float(a) * x
! n[0] = 3.0
# __int__
class A:
    def __int__(self): return n[0]
n = [2]
a = A()
> int(a) * x
! n[0] = 3
# __complex__
class A:
    def __complex__(self): return n[0]
n = [2.0 + 0j]
a = A()
> complex(a).real * x
! n[0] = 3.0 + 0j
# __round__
class A:
    def __round__(self): return n[0]
n = [2.0]
a = A()
> round(a) * x
! n[0] = 3.0
# __trunc__ and its like
class A:
    def __floor__(self): return n[0]
    def __ceil__(self): return n[0]
n = [2.0]
a = A()
> math.floor(a) * math.ceil(a) * x
! n[0] = 3.0
# __iter__
class A:
    def __iter__(self): return iter(n)
n = [2.0]
a = A()
> sum(a) * x
! n[0] = 3.0
! n.append(4.0)
# iteration by positions
class A:
    def __getitem__(self, k): return n[k]
n = [2.0]
a = A()
> sum(a) * x
! n[0] = 3.0
# __reversed__
class A:
    def __reversed__(self): return iter(n)
n = [2.0]
a = A()
> sum(reversed(a)) * x
! n[0] = 3.0
# __contains__
class A:
    def __contains__(self, v): return v in n
n = [1]
a = A()
> (2.0 if 1 in a else 3.0) * x
! n[0] = 2
# __missing__
class A(dict):
    def __missing__(self, k): return n[0]
n = [2.0]
a = A()
> a['k'] * x
! n[0] = 3.0
! a['k'] = 5.0
# __call__
class A:
    def __call__(self): return n[0]
n = [2.0]
a = A()
> a() * x
! n[0] = 3.0
# __str__
class A:
    def __str__(self): return n[0]
n = ['2.0']
a = A()
> float(f'{a}') * x
! n[0] = '3.0'
# __repr__
class A:
    def __repr__(self): return n[0]
n = ['2.0']
a = A()
> float(repr(a)) * x
! n[0] = '3.0'
# __format__
class A:
    def __format__(self, s): return n[0]
n = ['2.0']
a = A()
> float(format(a, 'q')) * x
! n[0] = '3.0'
# __bytes__
class A:
    def __bytes__(self): return n[0]
n = [b'2.0']
a = A()
> float(bytes(a)) * x
! n[0] = b'3.0'
# __fspath__
class A:
    def __fspath__(self): return n[0]
n = ['2.0']
a = A()
> float(os.fspath(a)) * x
! n[0] = '3.0'
# __eq__
class A:
    def __eq__(self, o): return n[0]
    __hash__ = None
n = [True]
a = A()
> (2.0 if a == 1 else 3.0) * x
! n[0] = False
# __hash__
class A:
    def __hash__(self): return n[0]
n = [2]
a = A()
> hash(a) * x
! n[0] = 3
# __lt__ of sorting
class A:
    def __init__(self, k): self.k = k
    def __lt__(self, o): return (self.k < o.k) == n[0]
n = [True]
t = [A(2.0), A(3.0)]
> sorted(t)[0].k * x
! n[0] = False
# total ordering
@functools.total_ordering
class A:
    def __init__(self, k): self.k = k
    def __eq__(self, o): return self.k == o.k
    def __lt__(self, o): return self.k < o.k + n[0]
n = [0.0]
p, q = A(2.0), A(1.0)
> (2.0 if p >= q else 3.0) * x
! n[0] = 5.0
# __mul__
class A:
    def __mul__(self, x): return n[0] * x
n = [2.0]
a = A()
> a * x
! n[0] = 3.0
# __rmul__
class A:
    __array_ufunc__ = None
    def __rmul__(self, x): return n[0] * x
n = [2.0]
a = A()
> x * a
! n[0] = 3.0
# operator that comes
class A:
    def __rmul__(self, x): return 2.0
a = A()
class B: pass
b = B()
> b * a * x
! B.__mul__ = lambda s, o: 3.0
# __enter__
class A:
    def __enter__(self): return n[0]
    def __exit__(self, *e): pass
n = [2.0]
a = A()
def q():
    with a as v: return v
> q() * x
! n[0] = 3.0
# __array__
class A:
    def __array__(self, *a, **k): return np.array(n)
n = [2.0]
a = A()
> np.asarray(a)[0] * x
! n[0] = 3.0
# __del__
n = [2.0]
out = [0.0]
class A:
    def __del__(self): out[0] = n[0]
def q():
    A()
    return out[0]
> q() * x
! n[0] = 3.0
# __dir__
n = ['pq']
class A:
    def __dir__(self): return n
a = A()
> len(dir(a)[0]) * x
! n[0] = 'pqr'
# __copy__
class A:
    def __copy__(self): return n[0]
n = [2.0]
a = A()
> copy.copy(a) * x
! n[0] = 3.0
# __subclasshook__
n = [False]
class M(abc.ABC):
    @classmethod
    def __subclasshook__(cls, c): return n[0]
class A: pass
> (3.0 if issubclass(A, M) else 2.0) * x
! n[0] = True; abc.ABCMeta.register(M, int)
"""
