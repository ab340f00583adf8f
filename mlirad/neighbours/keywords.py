"""Names of arguments and options.

ad.grad(f, allow_int=True)           not needed here: integers have the gradient None
ad.random.normal(key, size=3)        shape
"""

from __future__ import annotations

from typing import Final

from mlirad.neighbours.entries import Entry, entry

KEYWORDS: Final[tuple[Entry, ...]] = (
    entry(
        "autograd.grad.argnum autograd.grad.wrt jax.grad.argnames torch.func.grad.argnum",
        "argnums",
        "ad.grad(lambda x, y: x * y, argnums=1)(2.0, 3.0)",
    ),
    entry(
        "jax.grad.allow_int",
        "is not needed here: integers have the gradient None",
        "ad.grad(lambda p: p['w'] ** p['n'])({'w': 2.0, 'n': 3})",
    ),
    entry(
        "jax.grad.reduce_axes jax.vmap.axis_name jax.vmap.axis_size jax.vmap.spmd_axis_name "
        "jax.pmap.axis_name",
        "has no counterpart, as axes have no names: reduce outside of the mapped function",
        "np.sum(ad.vmap(np.sin)(np.ones(3)))",
    ),
    entry(
        "torch.vmap.in_dims",
        "in_axes",
        "ad.vmap(lambda a, b: a * b, in_axes=(0, None))(np.ones(3), 2.0)",
    ),
    entry(
        "torch.vmap.out_dims",
        "out_axes",
        "ad.vmap(lambda a: a * np.ones(2), out_axes=1)(np.ones(3))",
    ),
    entry(
        "torch.vmap.chunk_size torch.func.jacrev.chunk_size jax.lax.map.batch_size",
        "chunk",
        "ad.vmap(np.sin, chunk=2)(np.ones(5))",
    ),
    entry(
        "torch.vmap.randomness",
        "has no counterpart: split a key before the map",
        "ad.vmap(lambda k: ad.random.normal(k))(ad.random.split(ad.random.key(0), 3))",
    ),
    entry(
        "jax.jit.donate_argnums jax.jit.donate_argnames",
        "donate",
        "ad.jit(lambda x: 2 * x, donate='x')(np.ones(3))",
    ),
    entry(
        "jax.jit.backend jax.jit.device jax.jit.in_shardings jax.jit.out_shardings jax.jit.inline "
        "jax.jit.keep_unused jax.jit.compiler_options torch.compile.backend torch.compile.fullgraph "
        "torch.compile.mode tf.function.jit_compile tf.function.experimental_compile jax.jit.xla_options",
        "is not needed here: programs are compiled for this processor",
        "ad.jit(np.sin)(1.0)",
    ),
    entry(
        "tf.function.input_signature tf.function.reduce_retracing jax.jit.abstracted_axes "
        "torch.compile.dynamic",
        "dynamic",
        "ad.jit(lambda x: np.sum(x), dynamic='x:0')(np.ones(3))",
    ),
    entry(
        "tf.function.autograph",
        "control",
        "ad.jit(lambda x: x if x > 0 else -x, control='rewrite')(-1.0)",
    ),
    entry(
        "jax.custom_vjp.nondiff_argnums jax.custom_jvp.nondiff_argnums",
        "is not needed here: a rule returns None for such an argument",
        "f = ad.custom_derivative(lambda x, n: x * n); f.rule(lambda x, n: lambda dx, dn: n * dx); "
        "ad.grad(f)(2.0, 3)",
    ),
    entry(
        "torch.autograd.grad.create_graph torch.autograd.grad.retain_graph torch.backward.create_graph",
        "is not needed here: derivatives nest",
        "ad.grad(ad.grad(np.sin))(1.0)",
    ),
    entry(
        "torch.autograd.grad.allow_unused torch.autograd.functional.jacobian.strict "
        "tf.GradientTape.unconnected_gradients",
        "is not needed here: what is not used has a gradient of zeros",
        "ad.grad(lambda x: 1.0)(2.0)",
    ),
    entry(
        "torch.autograd.functional.jacobian.vectorize torch.autograd.functional.jacobian.strategy",
        "is ad.jacfwd or ad.jacrev here",
        "ad.jacfwd(np.sin)(np.ones(2))",
    ),
    entry(
        "jax.checkpoint.policy jax.checkpoint.prevent_cse jax.checkpoint.static_argnums "
        "torch.utils.checkpoint.use_reentrant",
        "has no counterpart: a checkpointed function is computed again, all of it",
        "ad.grad(ad.checkpoint(lambda x: np.sin(np.sin(x))))(1.0)",
    ),
    entry(
        "jax.lax.scan.unroll jax.lax.fori_loop.unroll",
        "is not needed here: loops are compiled",
        "ad.scan(lambda c, x: (c + x, c), 0.0, np.ones(3))",
    ),
    entry(
        "jax.lax.fori_loop.body_fun jax.lax.while_loop.body_fun",
        "body",
        "ad.fori_loop(0, 3, body=lambda i, x: 2.0 * x, init=1.0)",
    ),
    entry(
        "jax.lax.while_loop.cond_fun",
        "cond",
        "ad.while_loop(cond=lambda x: x < 9.0, body=lambda x: 2.0 * x, init=1.0)",
    ),
    entry(
        "jax.lax.fori_loop.init_val jax.lax.while_loop.init_val",
        "init",
        "ad.fori_loop(0, 3, lambda i, x: 2.0 * x, init=1.0)",
    ),
    entry(
        "numpy.random.normal.size torch.randn.size",
        "shape",
        "ad.random.normal(ad.random.key(0), shape=(3,))",
    ),
    entry(
        "numpy.random.normal.loc numpy.random.normal.scale torch.normal.std",
        "is arithmetic here: loc + scale * sample",
        "3.0 + 0.5 * ad.random.normal(ad.random.key(0), (3,))",
    ),
    entry(
        "numpy.random.uniform.low numpy.random.randint.low",
        "minval",
        "ad.random.uniform(ad.random.key(0), (3,), minval=1.0, maxval=2.0)",
    ),
    entry(
        "numpy.random.uniform.high numpy.random.randint.high",
        "maxval",
        "ad.random.uniform(ad.random.key(0), (3,), minval=1.0, maxval=2.0)",
    ),
    entry(
        "numpy.random.default_rng.seed jax.random.normal.rng flax.linen.Module.apply.rngs",
        "key",
        "ad.random.normal(ad.random.key(0), (3,))",
    ),
    entry(
        "torch.optim.Adam.lr tf.keras.optimizers.Adam.rate",
        "learning_rate",
        "ad.optimize.adam(learning_rate=1e-3)",
    ),
    entry(
        "torch.optim.Adam.betas",
        "is b1 and b2 here",
        "ad.optimize.adam(1e-3, b1=0.9, b2=0.999)",
    ),
    entry(
        "tf.keras.optimizers.Adam.beta_1",
        "b1",
        "ad.optimize.adam(1e-3, b1=0.9)",
    ),
    entry(
        "tf.keras.optimizers.Adam.beta_2",
        "b2",
        "ad.optimize.adam(1e-3, b2=0.999)",
    ),
    entry(
        "tf.keras.optimizers.Adam.epsilon",
        "eps",
        "ad.optimize.adam(1e-3, eps=1e-8)",
    ),
    entry(
        "torch.optim.SGD.momentum",
        "is ad.optimize.momentum here",
        "ad.optimize.momentum(1e-3, 0.9)",
    ),
    entry(
        "diffrax.diffeqsolve.dt0 diffrax.diffeqsolve.stepsize_controller jax.experimental.ode.odeint.hmax",
        "is not needed here: steps follow from rtol and atol",
        "ad.odeint(lambda y, t: -y, 1.0, np.array([0.0, 1.0]), rtol=1e-8)",
    ),
    entry(
        "jax.experimental.ode.odeint.mxstep",
        "max_steps",
        "ad.odeint(lambda y, t: -y, 1.0, np.array([0.0, 1.0]), max_steps=1000)",
    ),
)
"""Those that functions of other names take."""
