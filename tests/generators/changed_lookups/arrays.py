"""Arrays, and what they are besides their elements."""

from __future__ import annotations

TEXT = r"""
# array
t = np.array([2.0])
> t[0] * x
! t[0] = 3.0
# order in memory
t = [np.arange(6.0).reshape(2, 3)]
> t[0].ravel(order='K')[1] * x
! t[0] = np.asfortranarray(t[0])
# strides
t = [np.ones((2, 2))]
> t[0].strides[0] * x
! t[0] = np.ones((2, 4))[:, ::2]
# object array
t = np.array([[2.0], None], dtype=object)
> t[0][0] * x
! t[0][0] = 3.0
! t[0] = [5.0]
# record array
t = np.array([(2.0, 1)], dtype=[('k', float), ('n', int)])
> t['k'][0] * x
! t['k'][0] = 3.0
# derived array
class T(np.ndarray): pass
t = np.array([2.0]).view(T)
t.k = 2.0
> np.asarray(t)[0] * t.k * x
! t.k = 3.0
! t[0] = 5.0
# masked array
t = np.ma.array([2.0, 3.0])
> float(t.sum()) * x
! t[0] = np.ma.masked
# view of an array
t = np.arange(4.0)
view = t[1:3]
> view[1] * x
! t[2] = 7.0
# random numbers of a fixed seed
t = [1]
> np.random.default_rng(t[0]).normal() * x
! t[0] = 2
"""
