"""Attributes of objects: slots, names computed and asked for, and what is not there."""

from __future__ import annotations

TEXT = r"""
# slots
class A:
    __slots__ = ('k',)
a = A()
a.k = 2.0
> a.k * x
! a.k = 3.0
# private slots
class A:
    __slots__ = ('__k',)
    def __init__(self, k): self.__k = k
    def of(self): return self.__k
a = A(2.0)
> a.of() * x
! a._A__k = 3.0
# private attribute
class A:
    def __init__(self, k): self.__k = k
    def of(self): return self.__k
a = A(2.0)
> a.of() * x
! a._A__k = 3.0
# empty slot
class A:
    __slots__ = ('k',)
a = A()
> (3.0 if hasattr(a, 'k') else 2.0) * x
! a.k = 1
! del a.k
# __getattr__
class A:
    def __getattr__(self, n): return v[0]
v = [2.0]
a = A()
> a.k * x
! v[0] = 3.0
! a.k = 5.0
! del a.k
! A.k = 7.0
# __getattribute__
class A:
    def __getattribute__(self, n):
        return object.__getattribute__(self, 'held')[n]
a = A()
object.__setattr__(a, 'held', {'k': 2.0})
> a.k * x
! object.__getattribute__(a, 'held')['k'] = 3.0
# __getattr__ that comes
class A: pass
a = A()
def q():
    try:
        return a.k
    except AttributeError:
        return 2.0
> q() * x
! A.__getattr__ = lambda self, n: 3.0
# metaclass
class M(type):
    v = 2.0
    @property
    def k(cls): return cls.v
class A(metaclass=M): pass
> A.k * x
! M.v = 3.0
! M.k = property(lambda cls: 5.0)
# metaclass that is called
class M(type):
    v = 2.0
    def __call__(cls, x): return M.v * x
class A(metaclass=M): pass
> A(x)
! M.v = 3.0
! M.__call__ = lambda cls, x: 5.0 * x
# __getattr__ of a metaclass
v = [2.0]
class M(type):
    def __getattr__(cls, n): return v[0]
class A(metaclass=M): pass
> A.k * x
! v[0] = 3.0
! A.k = 5.0
# __instancecheck__
v = [False]
class M(type):
    def __instancecheck__(cls, o): return v[0]
class A(metaclass=M): pass
> (3.0 if isinstance(1, A) else 2.0) * x
! v[0] = True
# __class_getitem__
v = {float: 2.0, int: 3.0}
class A:
    def __class_getitem__(cls, item): return v[item]
> A[float] * x
! v[float] = 5.0
! A.__class_getitem__ = classmethod(lambda c, i: 7.0)
# __init_subclass__
v = [2.0]
class A:
    def __init_subclass__(cls): cls.k = v[0]
def q():
    class B(A): pass
    return B.k
> q() * x
! v[0] = 3.0
# __set_name__
v = [2.0]
class D:
    def __set_name__(self, owner, name): owner.k = v[0]
def q():
    class B:
        d = D()
    return B.k
> q() * x
! v[0] = 3.0
# name of a class
class A: pass
a = A()
rates = {'A': 2.0, 'B': 3.0}
> rates[type(a).__name__] * x
! A.__name__ = 'B'
# order of attributes
class A: pass
a = A()
a.p, a.q = 2.0, 3.0
> list(vars(a).values())[0] * x
! a.p = a.__dict__.pop('p')
# order of a class
class A:
    p = 2.0
    q = 3.0
> [v for n, v in vars(A).items() if n in 'pq'][0] * x
! del A.p; A.p = 2.0
# dictionary of an object
class A: pass
a = A()
a.k = 2.0
> a.k * x
! a.__dict__ = {'k': 3.0}
! a.__dict__['k'] = 5.0
# attribute by a computed name
class A: pass
a = A()
a.k1 = 2.0
> getattr(a, f'k{1}') * x
! a.k1 = 3.0
# another name for getattr
class A: pass
a = A()
a.k = 2.0
ask = getattr
name = 'k'
> ask(a, name) * x
! a.k = 3.0
# getattr in a list
class A: pass
a = A()
a.k = 2.0
asks = [getattr]
name = 'k'
> asks[0](a, name) * x
! a.k = 3.0
# getattr with a default
class A: pass
a = A()
> getattr(a, 'k', 2.0) * x
! a.k = 3.0
! del a.k
! A.k = 5.0
# attrgetter
class A: pass
a = A()
a.k = 2.0
get = operator.attrgetter('k')
> get(a) * x
! a.k = 3.0
# methodcaller
class A:
    def k(self): return 2.0
a = A()
call = operator.methodcaller('k')
> call(a) * x
! A.k = lambda self: 3.0
# hasattr
class A: pass
a = A()
> (3.0 if hasattr(a, 'k') else 2.0) * x
! a.k = 1
! del a.k
! A.k = 1
# hasattr of a class
class A: pass
> (3.0 if hasattr(A, 'k') else 2.0) * x
! A.k = 1
! del A.k
# AttributeError
class A: pass
a = A()
def q(x):
    try:
        return a.k * x
    except AttributeError:
        return 2.0 * x
> q(x)
! a.k = 3.0
# suppressed error
class A: pass
a = A()
def q():
    with contextlib.suppress(AttributeError):
        return a.k
    return 2.0
> q() * x
! a.k = 3.0
# error swallowed by __exit__
class A: pass
a = A()
class S:
    def __enter__(self): pass
    def __exit__(self, *e): return True
def q():
    with S():
        return a.k
    return 2.0
> q() * x
! a.k = 3.0
! S.__exit__ = lambda s, *e: False
# matched attribute
class A: pass
a = A()
def q():
    match a:
        case A(k=v): return v
    return 2.0
> q() * x
! a.k = 3.0
# __match_args__
class A:
    __match_args__ = ('p', 'q')
a = A()
a.p, a.q = 2.0, 3.0
def q():
    match a:
        case A(v): return v
> q() * x
! A.__match_args__ = ('q', 'p')
! a.q = 5.0
# method of an instance
class Kept:
    k = 2.0
    def scale(self): return self.k
o = Kept()
> o.scale() * x
! o.scale = lambda: 3.0
! del o.scale
! Kept.k = 5.0
# bound method
class Kept:
    k = 2.0
    def scale(self): return self.k
call = Kept().scale
> call() * x
! call.__self__.k = 3.0
! Kept.scale = call.__func__; call.__func__.__code__ = (lambda self: 5.0).__code__
"""
