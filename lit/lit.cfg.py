"""The configuration of lit: how the tests of this folder are found and run.

    lit -v lit

The tools are run by the interpreter that runs lit, so a checkout and an installed package are tested alike;
`in_process.py` tells how.
"""

import os
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PYTHON = shlex.quote(sys.executable)

config.name = "mlirad"  # noqa: F821
config.suffixes = [".mlir", ".test"]  # noqa: F821
config.excludes = ["Inputs", "Output"]  # noqa: F821
config.test_source_root = str(ROOT)  # noqa: F821
config.test_exec_root = lit_config.params.get("exec_root", str(ROOT / "Output"))  # noqa: F821

# In a checkout the package lies beside this folder; without one, the installed package is found.
path = os.environ.get("PYTHONPATH", "")
if (ROOT.parent / "mlirad").is_dir():
    path = os.pathsep.join(filter(None, (str(ROOT.parent), path)))
    sys.path.insert(0, str(ROOT.parent))
config.environment["PYTHONPATH"] = path  # noqa: F821

sys.path.insert(0, str(ROOT))
import filecheck.main  # noqa: E402
from in_process import InProcess  # noqa: E402

from mlirad.tools import opt, run  # noqa: E402

mains = {"mlirad.tools.opt": opt.main, "mlirad.tools.run": run.main, "filecheck": filecheck.main.main}
config.test_format = InProcess(mains)  # noqa: F821

config.substitutions += [  # noqa: F821
    (r"\bmlirad-opt\b", f"{PYTHON} -m mlirad.tools.opt"),
    (r"\bmlirad-run\b", f"{PYTHON} -m mlirad.tools.run"),
    (r"\bfilecheck\b", f"{PYTHON} -m filecheck"),
    (r"\bxdsl-opt\b", f"{PYTHON} -m xdsl.tools.xdsl_opt"),
]
