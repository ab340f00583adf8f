"""The problems that are timed, by name."""

from benchmarks.problem import Problem
from benchmarks.problems import ba, gmm, kmeans, llsq, lse, lstm, ode

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        gmm.PROBLEM,
        lse.PROBLEM,
        llsq.PROBLEM,
        llsq.BY_SCAN,
        kmeans.PROBLEM,
        kmeans.DIRECTION,
        ode.PROBLEM,
        lstm.PROBLEM,
        ba.PROBLEM,
    )
}
