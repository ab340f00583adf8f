"""The problems that are timed, by name."""

from benchmarks.problem import Problem
from benchmarks.problems import gmm, kmeans, llsq, lse

PROBLEMS: dict[str, Problem] = {
    problem.name: problem for problem in (gmm.PROBLEM, lse.PROBLEM, llsq.PROBLEM, kmeans.PROBLEM)
}
