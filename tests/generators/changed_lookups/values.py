"""Containers, their views, and numbers and strings of derived classes."""

from __future__ import annotations

TEXT = r"""
# list
t = [2.0, 3.0]
> t[0] * x
! t.reverse()
# order of a dictionary
t = {'a': 2.0, 'b': 3.0}
> next(iter(t.values())) * x
! t['a'] = t.pop('a')
# OrderedDict
t = collections.OrderedDict(a=2.0, b=3.0)
> next(iter(t.values())) * x
! t.move_to_end('a')
! t['b'] = 5.0
# defaultdict
t = collections.defaultdict(lambda: 2.0)
> dict(t).get(1, t.default_factory()) * x
! t.default_factory = lambda: 3.0
# Counter
t = collections.Counter(a=2, b=1)
> t.most_common(1)[0][1] * x
! t['b'] = 3
# ChainMap
t = collections.ChainMap({}, {'k': 2.0})
> t['k'] * x
! t['k'] = 3.0
! t.maps.reverse()
# UserDict
t = collections.UserDict(k=2.0)
> t['k'] * x
! t['k'] = 3.0
# derived UserDict
class U(collections.UserDict): pass
t = U(k=2.0)
> t['k'] * x
! t['k'] = 3.0
# derived UserList
class U(collections.UserList): pass
t = U([2.0])
> t[0] * x
! t[0] = 3.0
# derived dict
class T(dict): pass
t = T(k=2.0)
t.s = 2.0
> t['k'] * t.s * x
! t['k'] = 3.0
! t.s = 5.0
# derived list
class T(list): pass
t = T([2.0])
> t[0] * x
! t[0] = 3.0
# deque
t = collections.deque([2.0, 3.0], maxlen=2)
> t[0] * x
! t.rotate()
! t.append(5.0)
# deque of another length
t = [collections.deque([2.0], maxlen=2)]
> t[0].maxlen * x
! t[0] = collections.deque([2.0], maxlen=3)
# set
t = {2.0}
> sum(t) * x
! t.add(3.0)
# order of a set
t = [{8, 0}, {0, 8}]
> (next(iter(t[0])) + 1.0) * x
! t.reverse()
# order of a frozenset
t = [frozenset([8, 0]), frozenset([0, 8])]
> ([v for v in t[0]][0] + 1.0) * x
! t.reverse()
# view of a dictionary
t = {'a': 2.0}
view = t.values()
> sum(view) * x
! t['b'] = 3.0
# proxy of a dictionary
t = {'a': 2.0}
view = types.MappingProxyType(t)
> view['a'] * x
! t['a'] = 3.0
# slice of what changes
class A:
    def __index__(self): return n[0]
n = [0]
part = slice(A(), None)
t = [2.0, 3.0]
> t[part][0] * x
! n[0] = 1
# super object
class A:
    k = 2.0
class B(A):
    k = 7.0
up = super(B, B())
> up.k * x
! A.k = 3.0
# generic alias
t = [list[int], 2]
> (2.0 if t[0].__args__[0] is int else 3.0) * x
! t[0] = list[float]
# attributes of a float
class F(float): pass
v = F(2.0)
v.k = 2.0
> v * v.k * x
! v.k = 3.0
! F.__mul__ = lambda s, o: 7.0
# attributes of a string
class S(str): pass
v = S('2.0')
v.k = 2.0
> float(v) * v.k * x
! v.k = 3.0
# attributes of an int
class I(int): pass
v = I(2)
> (2.0 if v else 3.0) * x
! I.__bool__ = lambda s: False
# attributes of a tuple
class T(tuple): pass
v = T((2.0,))
v.k = 2.0
> v[0] * v.k * x
! v.k = 3.0
# named tuple
class T(typing.NamedTuple):
    k: float
v = [T(2.0)]
> v[0].k * x
! v[0] = T(3.0)
! T.k = 5.0
# defaults of a named tuple
class T(typing.NamedTuple):
    k: float = 2.0
> T().k * x
! T.__new__.__defaults__ = (3.0,)
"""
