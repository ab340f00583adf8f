"""Enumerations, dataclasses, references, and objects of Python's library."""

from __future__ import annotations

TEXT = r"""
# enum member
class M(enum.Enum):
    A = 2.0
    B = 3.0
v = [M.A]
> v[0].value * x
! v[0] = M.B
# value of an enum member
class M(enum.Enum):
    A = 2.0
> M.A.value * x
! M.A._value_ = 3.0
# enum members by value
class M(enum.Enum):
    A = 1
    B = 2
n = [1]
> (2.0 if M(n[0]) is M.A else 3.0) * x
! n[0] = 2
# iterated enum
class M(enum.Enum):
    A = 2.0
    B = 3.0
> [m.value for m in M][0] * x
! M._member_names_.reverse()
# method of an enum
class M(enum.Enum):
    A = 2.0
    def of(self): return self.value
> M.A.of() * x
! M.of = lambda self: 3.0
# enum with _missing_
v = ['A']
class M(enum.Enum):
    A = 2.0
    B = 3.0
    @classmethod
    def _missing_(cls, value): return cls[v[0]]
> M(7).value * x
! v[0] = 'B'
# field of a dataclass
@dataclasses.dataclass
class D:
    k: float = 2.0
d = D()
> d.k * x
! d.k = 3.0
! del d.k; D.k = 5.0
# default of a dataclass
v = [2.0]
@dataclasses.dataclass
class D:
    k: float = dataclasses.field(default_factory=lambda: v[0])
> D().k * x
! v[0] = 3.0
# fields of a dataclass
@dataclasses.dataclass
class D:
    k: float = 2.0
d = D()
> sum(getattr(d, f.name) for f in dataclasses.fields(d)) * x
! d.k = 3.0
# asdict
@dataclasses.dataclass
class D:
    k: float = 2.0
d = D()
> sum(dataclasses.asdict(d).values()) * x
! d.k = 3.0
# replaced dataclass
@dataclasses.dataclass
class D:
    k: float = 2.0
    j: float = 1.0
d = D()
> dataclasses.replace(d, j=2.0).k * x
! d.k = 3.0
# frozen dataclass
@dataclasses.dataclass(frozen=True)
class D:
    k: list
d = D([2.0])
> d.k[0] * x
! d.k[0] = 3.0
# dataclass with slots
@dataclasses.dataclass(slots=True)
class D:
    k: float = 2.0
d = D()
> d.k * x
! d.k = 3.0
# __post_init__
v = [2.0]
@dataclasses.dataclass
class D:
    k: float
    def __post_init__(self): self.k *= v[0]
> D(1.0).k * x
! v[0] = 3.0
# copied object
class A: pass
a = A()
a.k = 2.0
> copy.deepcopy(a).k * x
! a.k = 3.0
# weak reference
class A: pass
a = A()
a.k = 2.0
r = weakref.ref(a)
> r().k * x
! a.k = 3.0
# dead reference
class A: pass
kept = [A()]
r = weakref.ref(A())
> (2.0 if r() is None else 3.0) * x
! global r; r = weakref.ref(kept[0])
# weak method
class A:
    k = 2.0
    def of(self): return self.k
a = A()
r = weakref.WeakMethod(a.of)
> r()() * x
! a.k = 3.0
# weak values
class A:
    k = 2.0
a, b = A(), A()
t = weakref.WeakValueDictionary(p=a)
> t['p'].k * x
! b.k = 3.0; t['p'] = b
! b.k = 5.0
# weak keys
class A: pass
a = A()
t = weakref.WeakKeyDictionary({a: 2.0})
> t[a] * x
! t[a] = 3.0
# weak set
class A: pass
a, b = A(), A()
t = weakref.WeakSet([a])
> len(t) * x
! t.add(b)
# exception
e = ValueError(2.0)
> e.args[0] * x
! e.args = (3.0,)
# derived exception
class E(Exception): pass
e = E(2.0)
e.k = 2.0
> e.args[0] * e.k * x
! e.args = (3.0,)
! e.k = 5.0
# queue
t = queue.Queue()
t.put(2.0)
t.put(3.0)
> t.queue[0] * x
! t.get()
# event
t = threading.Event()
> (3.0 if t.is_set() else 2.0) * x
! t.set()
! t.clear()
# template
t = string.Template('$k')
> float(t.substitute(k='2', q='3')) * x
! t.template = '$q'
# namespace
t = types.SimpleNamespace(k=2.0)
> t.k * x
! t.k = 3.0
! t.__dict__['k'] = 5.0
# argparse
t = argparse.Namespace(k=2.0)
> t.k * x
! t.k = 3.0
# context variable
t = contextvars.ContextVar('t')
token = t.set(2.0)
> t.get() * x
! t.set(3.0)
# thread's own
t = threading.local()
t.k = 2.0
> t.k * x
! t.k = 3.0
# derived thread's own
class L(threading.local): pass
t = L()
t.k = 2.0
> t.k * x
! t.k = 3.0
# ctypes
t = ctypes.c_double(2.0)
> t.value * x
! t.value = 3.0
# ctypes structure
class S(ctypes.Structure):
    _fields_ = [('k', ctypes.c_double)]
t = S(2.0)
> t.k * x
! t.k = 3.0
# ctypes array
t = (ctypes.c_double * 2)(2.0, 3.0)
> t[0] * x
! t[0] = 5.0
# bytearray
t = bytearray(b'\x02')
> t[0] * x
! t[0] = 3
# array of Python
t = array.array('d', [2.0])
> t[0] * x
! t[0] = 3.0
# memory view
t = np.array([2.0])
view = memoryview(t)
> view[0] * x
! t[0] = 3.0
# string in memory
t = io.StringIO('2.0')
> float(t.getvalue()) * x
! t.truncate(0); t.seek(0); t.write('3.0')
# fraction
t = [fractions.Fraction(2)]
> float(t[0]) * x
! t[0] = fractions.Fraction(3)
# decimal
t = [decimal.Decimal(2)]
> float(t[0]) * x
! t[0] = decimal.Decimal(3)
# abc of a mapping
class T(collections.abc.Mapping):
    def __init__(self): self.d = {'k': 2.0}
    def __getitem__(self, k): return self.d[k]
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
t = T()
> t.get('k') * x
! t.d['k'] = 3.0
# class of a package
class T(string.Formatter):
    def get_value(self, key, args, kwargs): return v[0]
v = ['2.0']
t = T()
> float(t.format('{k}')) * x
! v[0] = '3.0'
# attribute that a package reads
class T(argparse.Namespace): pass
t = T(k=2.0)
> (2.0 if t == argparse.Namespace(k=2.0) else 3.0) * x
! t.k = 5.0
"""
