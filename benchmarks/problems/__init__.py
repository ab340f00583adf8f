"""The problems that are timed, by name."""

from benchmarks.problem import Problem
from benchmarks.problems import (
    attention,
    ba,
    convolution,
    cross_entropy,
    cumulative,
    elementwise,
    gmm,
    kmeans,
    layer_norm,
    llsq,
    lse,
    lstm,
    matrix_chain,
    mlp,
    ode,
    product,
    rnn,
    segments,
    sorting,
    stencil,
)

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
        ode.BY_BUILD,
        lstm.PROBLEM,
        ba.PROBLEM,
        attention.PROBLEM,
        cross_entropy.PROBLEM,
        layer_norm.PROBLEM,
        mlp.PROBLEM,
        mlp.MNIST,
        convolution.NETWORK,
        convolution.PROBLEM,
        rnn.PROBLEM,
        stencil.PROBLEM,
        stencil.BY_BUILD,
        sorting.PROBLEM,
        cumulative.PATH,
        cumulative.WEALTH,
        segments.PROBLEM,
        matrix_chain.PROBLEM,
        elementwise.PROBLEM,
        product.PROBLEM,
    )
}
