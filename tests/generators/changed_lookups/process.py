"""Modules, the environment, files and the clock."""

from __future__ import annotations

TEXT = r"""
# module
m = types.ModuleType('m')
m.k = 2.0
> m.k * x
! m.k = 3.0
# __getattr__ of a module
v = [2.0]
m = types.ModuleType('m')
m.__getattr__ = lambda n: v[0]
> m.k * x
! v[0] = 3.0
! m.k = 5.0
# attribute that a module has not
m = types.ModuleType('m')
> (3.0 if hasattr(m, 'k') else 2.0) * x
! m.k = 1
! del m.k
# module by its name
m = types.ModuleType('changed_m')
m.k = 2.0
sys.modules['changed_m'] = m
> sys.modules['changed_m'].k * x
! m.k = 3.0
# module that is imported
m = types.ModuleType('changed_n')
m.k = 2.0
sys.modules['changed_n'] = m
def q():
    import changed_n
    return changed_n.k
> q() * x
! m.k = 3.0
! n = types.ModuleType('changed_n'); n.k = 5.0; sys.modules['changed_n'] = n
# name that is imported
m = types.ModuleType('changed_o')
m.k = 2.0
sys.modules['changed_o'] = m
def q():
    from changed_o import k
    return k
> q() * x
! m.k = 3.0
# module that comes
def q():
    try:
        import changed_p
        return changed_p.k
    except ImportError:
        return 2.0
> q() * x
! m = types.ModuleType('changed_p'); m.k = 3.0; sys.modules['changed_p'] = m
! del sys.modules['changed_p']
# imported by a function
m = types.ModuleType('changed_r')
m.k = 2.0
sys.modules['changed_r'] = m
> importlib.import_module('changed_r').k * x
! m.k = 3.0
# environment
os.environ['CHANGED_K'] = '2.0'
> float(os.environ['CHANGED_K']) * x
! os.environ['CHANGED_K'] = '3.0'
# environment by getenv
from os import getenv
> float(getenv('CHANGED_J', '2.0')) * x
! os.environ['CHANGED_J'] = '3.0'
! del os.environ['CHANGED_J']
# arguments of the process
sys.argv.append('2.0')
> float(sys.argv[-1]) * x
! sys.argv[-1] = '3.0'
! sys.argv.append('5.0')
# file
place = os.path.join(FOLDER, 'k.txt')
def write(v):
    with open(place, 'w') as f: f.write(v)
write('2.0')
def q():
    with open(place) as f: return float(f.read())
> q() * x
! write('3.0')
# file by its path
place = pathlib.Path(FOLDER) / 'j.txt'
_ = place.write_text('2.0')
> float(place.read_text()) * x
! place.write_text('3.0')
# file by NumPy
place = os.path.join(FOLDER, 'i.npy')
np.save(place, 2.0)
> np.load(place) * x
! np.save(place, 3.0)
# whether a file is there
place = os.path.join(FOLDER, 'h')
> (3.0 if os.path.exists(place) else 2.0) * x
! os.makedirs(place, exist_ok=True)
! os.rmdir(place)
# folder
os.chdir(FOLDER)
os.makedirs('inner', exist_ok=True)
> len(os.getcwd()) * x
! os.chdir('inner')
# clock
def q(): return float(time.time() > 0.0)
> q() * x
# date
def q(): return float(datetime.datetime.now().year > 0)
> q() * x
# thread
def q(): return float(len(threading.current_thread().name))
> q() * x
! threading.current_thread().name = 'M'
"""
