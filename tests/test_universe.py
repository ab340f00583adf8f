"""mlirad as a plugin of xDSL: the stock tool reads our dialects and runs our passes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes
from xdsl.universe import Universe

from mlirad.errors import UnsupportedError
from mlirad.pipelines import PIPELINES, pipeline_passes
from mlirad.registry import DEPRECATED, PASS_MODULES, current_name, load_pass, make_passes
from mlirad.universe import MLIRAD_UNIVERSE

ROOT = Path(__file__).parents[1]

PROGRAM = """
func.func @f(%x: f64) -> f64 {
  %y = array.exp %x : f64
  %z = array.exp %x : f64
  %w = array.add %y, %z : f64
  func.return %w : f64
}
"""


def xdsl_opt(*arguments: str) -> str:
    """The output of stock `xdsl-opt` for the program."""
    command = [sys.executable, "-c", "from xdsl.tools.xdsl_opt import main; main()", *arguments]
    run = subprocess.run(command, input=PROGRAM, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_xdsl_opt_runs_our_passes_on_our_dialects() -> None:
    assert xdsl_opt().count("array.exp") == 2
    assert xdsl_opt("-p", "mlirad-cse").count("array.exp") == 1
    assert "@f_grad" in xdsl_opt("-p", "differentiate,bulk-operations,linearize,lower-remaining-builds")


def test_names_do_not_clash_with_those_of_xdsl() -> None:
    assert not set(PASS_MODULES) & set(get_all_passes())
    merged = Universe.get_multiverse()
    assert set(MLIRAD_UNIVERSE.all_passes) <= set(merged.all_passes)
    assert {"array", "function", "linear", "kernel"} <= set(merged.all_dialects)


@pytest.mark.parametrize("name", PASS_MODULES)
def test_every_registered_pass_exists(name: str) -> None:
    pass_class = MLIRAD_UNIVERSE.all_passes[name]()
    assert issubclass(pass_class, ModulePass)
    assert pass_class.name == name
    assert (pass_class.__doc__ or "").strip(), f"{name} does not say what it does"


@pytest.mark.parametrize("name", PIPELINES)
def test_every_pipeline_can_be_made(name: str) -> None:
    options = "{function=f}" if name == "grad" else ""
    assert len(pipeline_passes(name + options)) == len(PIPELINES[name]())


def test_names_and_options_that_do_not_exist() -> None:
    with pytest.raises(UnsupportedError, match="there is no pass 'nothing'"):
        load_pass("nothing")
    with pytest.raises(UnsupportedError, match="there is no pipeline 'nothing'"):
        pipeline_passes("nothing")
    with pytest.raises(UnsupportedError, match="cannot read the list of passes"):
        make_passes("mlirad-cse{")
    with pytest.raises(UnsupportedError, match="pass 'mlirad-cse'"):
        make_passes("mlirad-cse{speed=11}")


@pytest.mark.parametrize("name", DEPRECATED)
def test_deprecated_names_are_those_of_passes_with_a_new_one(name: str) -> None:
    """Each is noted in the changelog and on the page of the tools."""
    assert name not in PASS_MODULES
    assert make_passes(name) == make_passes(DEPRECATED[name])
    told: list[str] = []
    (new,) = make_passes(DEPRECATED[name])
    assert current_name(name, told.append) == new.name
    assert told == [f"the pass {name!r} is deprecated: write {DEPRECATED[name]}"]
    changelog = (ROOT / "CHANGELOG.md").read_text().partition("### Deprecated")[2].partition("\n### ")[0]
    for page in (changelog, (ROOT / "docs" / "tools.md").read_text()):
        assert f"| `{name}` | `{DEPRECATED[name]}` |" in page


def test_options_of_a_deprecated_name_stay() -> None:
    given = make_passes("formal-derivative{function=f mode=reverse}")
    assert given == make_passes("sweep{function=f instance=z2 mode=reverse}")
