"""Classes: bases, descriptors, metaclasses, what makes classes and objects."""

from __future__ import annotations

TEXT = r"""
# base class
class A:
    k = 2.0
class B(A): pass
b = B()
> b.k * x
! A.k = 3.0
! B.k = 5.0
! del B.k
# super method
class A:
    def k(self): return 2.0
class B(A):
    def k(self): return super().k() * 2.0
b = B()
> b.k() * x
! A.k = lambda self: 3.0
! B.k = lambda self: 7.0
# super attribute
class A:
    k = 2.0
class B(A):
    k = 7.0
    def of(self): return super().k
b = B()
> b.of() * x
! A.k = 3.0
# base by name
class A:
    def k(self): return 2.0
class B(A):
    def k(self): return A.k(self) * 2.0
b = B()
> b.k() * x
! A.k = lambda self: 3.0
# cooperating bases
class R:
    def k(self): return 2.0
class A(R):
    def k(self): return super().k() + 1.0
class B(R):
    def k(self): return super().k() * 3.0
class C(A, B): pass
c = C()
> c.k() * x
! R.k = lambda self: 5.0
! C.__bases__ = (B, A)
! B.k = lambda self: 1.0
# class of an object
class A:
    k = 2.0
class B:
    k = 3.0
o = A()
> o.k * x
! o.__class__ = B
# isinstance by bases
class M: pass
class A: pass
class B(A): pass
b = B()
> (3.0 if isinstance(b, M) else 2.0) * x
! B.__bases__ = (A, M)
# registered class
class M(abc.ABC): pass
class A: pass
a = A()
> (3.0 if isinstance(a, M) else 2.0) * x
! M.register(A)
# registered with a library
class A: pass
a = A()
> (3.0 if isinstance(a, collections.abc.Sequence) else 2.0) * x
! collections.abc.Sequence.register(A)
# protocol
@typing.runtime_checkable
class M(typing.Protocol):
    def k(self): ...
class A: pass
a = A()
> (3.0 if isinstance(a, M) else 2.0) * x
! A.k = lambda self: 1.0
# subclasses
class A:
    k = 2.0
class B(A): pass
> sum(c.k for c in A.__subclasses__()) * x
! global C; C = type('C', (A,), {'k': 3.0})
! B.k = 5.0
# property
class A:
    v = [2.0]
    @property
    def k(self): return self.v[0]
a = A()
> a.k * x
! A.v[0] = 3.0
! A.k = property(lambda self: 5.0)
# setter
class A:
    v = [2.0]
    @property
    def k(self): return self._k
    @k.setter
    def k(self, to): self._k = to * self.v[0]
def q(x):
    a = A()
    a.k = x
    return a.k
> q(x)
! A.v[0] = 3.0
! A.k = 5.0
# __setattr__
by = [2.0]
class A:
    def __setattr__(self, n, to): object.__setattr__(self, n, to * by[0])
def q(x):
    a = A()
    a.k = x
    return a.k
> q(x)
! by[0] = 3.0
! del A.__setattr__
# descriptor
class D:
    def __init__(self): self.v = 2.0
    def __get__(self, o, t): return self.v
class A:
    k = D()
a = A()
> a.k * x
! A.__dict__['k'].v = 3.0
! D.__get__ = lambda s, o, t: 5.0
# descriptor with a table
class D:
    def __init__(self): self.t = weakref.WeakKeyDictionary()
    def __get__(self, o, t): return self.t.get(o, 2.0)
    def __set__(self, o, v): self.t[o] = v
class A:
    k = D()
a = A()
> a.k * x
! a.k = 3.0
! a.k = 5.0
# staticmethod
class A:
    @staticmethod
    def k(x): return 2.0 * x
> A.k(x)
! A.k = staticmethod(lambda x: 3.0 * x)
# classmethod
class A:
    v = 2.0
    @classmethod
    def k(cls, x): return cls.v * x
class B(A): pass
> B.k(x)
! A.v = 3.0
! B.v = 5.0
# classmethod that makes objects
class A:
    v = [2.0]
    def __init__(self): self.k = self.v[0]
    @classmethod
    def make(cls): return cls()
a = A()
> a.make().k * x
! A.v[0] = 3.0
! A.__init__ = lambda self: setattr(self, 'k', 5.0)
# type of an object called
class A:
    v = [2.0]
    def __init__(self): self.k = self.v[0]
a = A()
> type(a)().k * x
! A.v[0] = 3.0
# __new__
v = [2.0]
class A:
    def __new__(cls):
        made = object.__new__(cls)
        made.k = v[0]
        return made
> A().k * x
! v[0] = 3.0
"""
