"""Names of globals, builtins, variables of enclosing functions, and what functions have."""

from __future__ import annotations

TEXT = r"""
# global
k = 2.0
> k * x
! global k; k = 3.0
# global that comes
def q():
    try:
        return late
    except NameError:
        return 2.0
> q() * x
! global late; late = 3.0
! global late; del late
# global before a builtin
> len(oct(8)) * x
! global oct; oct = str
! global oct; del oct
# builtin
> len(oct(8)) * x
! builtins.oct = str
! builtins.oct = octal
# builtin that comes
def q():
    try:
        return novel(2.0)
    except NameError:
        return 2.0
> q() * x
! builtins.novel = math.sqrt
! del builtins.novel
# cell
def make():
    v = 2.0
    def f(x): return v * x
    return f
closed = make()
> closed(x)
! closed.__closure__[0].cell_contents = 3.0
# held cell
def make():
    v = 2.0
    return (lambda: v).__closure__[0]
held = make()
> held.cell_contents * x
! held.cell_contents = 3.0
# cell in a class body
def make(v):
    class In:
        k = v
        def of(self): return v * self.k
    return In
made = make(2.0)
> made().of() * x
! made.k = 5.0
! made.of.__closure__[0].cell_contents = 3.0
# enclosing class
class Outer:
    k = 2.0
    class Inner:
        def of(self): return Outer.k
> Outer.Inner().of() * x
! Outer.k = 3.0
! Outer.Inner.of = lambda self: 5.0
# default
def q(x, v=2.0): return v * x
> q(x)
! q.__defaults__ = (3.0,)
# default by name
def q(x, *, v=2.0): return v * x
> q(x)
! q.__kwdefaults__['v'] = 3.0
! q.__kwdefaults__ = {'v': 5.0}
# default that changes
def q(x, v=[2.0]): return v[0] * x
> q(x)
! q.__defaults__[0][0] = 3.0
# code
def q(x): return 2.0 * x
> q(x)
! q.__code__ = (lambda x: 3.0 * x).__code__
# attribute of a function
def q(x): return q.k * x
q.k = 2.0
> q(x)
! q.k = 3.0
! q.__dict__ = {'k': 5.0}
# attribute that a function has not
def q(x): return (3.0 if hasattr(q, 'k') else 2.0) * x
> q(x)
! q.k = 1
! del q.k
# name of a function
def q(): pass
rates = {'q': 2.0, 'p': 3.0}
> rates[q.__name__] * x
! q.__name__ = 'p'
# doc of a function
def q():
    '2.0'
> float(q.__doc__) * x
! q.__doc__ = '3.0'
# annotations
def q(v: 2.0): pass
> q.__annotations__['v'] * x
! q.__annotations__['v'] = 3.0
# annotations of a class
class Q:
    v: 2.0
> Q.__annotations__['v'] * x
! Q.__annotations__['v'] = 3.0
# evaluated annotation
k = [2.0]
def q():
    def inner(v: k[0]): pass
    return inner.__annotations__['v']
> q() * x
! k[0] = 3.0
# type hints
class Q:
    v: float
> (2.0 if typing.get_type_hints(Q)['v'] is float else 3.0) * x
! Q.__annotations__['v'] = int
# evaluated text
class Q: pass
q = Q()
q.k = 2.0
> eval('q.k') * x
! q.k = 3.0
# globals()
hidden = 2.0
> globals()['hidden'] * x
! global hidden; hidden = 3.0
# globals() that come
def q(): return globals().get('coming', 2.0)
> q() * x
! global coming; coming = 3.0
"""
