"""Programs of the kinds that people bring, with their derivatives, in mlirad and in JAX side by side.

    python -m benchmarks.workloads                   # python -m benchmarks.workloads cpu: time on a processor
    python -m benchmarks.workloads cpu ising,gru     # some of them

    networks.py     a transformer block, a residual block of convolutions, a recurrent network
    sequences.py    time warping, a conditional random field, a beam search
    lattices.py     Ising's model by Metropolis's rule, a lattice Boltzmann flow
    particles.py    smoothed particles, ensembles of predators and prey
    fields.py       finite elements with conjugate gradients, a scene by ray marching
    matching.py     transport by Sinkhorn's algorithm, the closest points of two clouds
    prices.py       options by Black and Scholes, and by paths of Heston's model

`TASKS` of each module are what `side_by_side.py` takes.
"""
