"""Names of structures of arrays, of solvers and of random numbers.

jax.tree_map        ad.tree.map
torch.optim.Adam    ad.optimize.adam
"""

from __future__ import annotations

from typing import Final

from mlirad.neighbours.entries import Entry, entry

STRUCTURES: Final[tuple[Entry, ...]] = (
    entry(
        "jax.tree_map jax.tree_util.tree_map jax.tree_multimap torch.utils._pytree.tree_map jax.tree_util "
        "tf.nest.map_structure",
        "ad.tree.map",
        "ad.tree.map(lambda p: 2 * p, {'a': 1.0})",
    ),
    entry(
        "jax.tree_leaves jax.tree_util.tree_leaves jax.tree_util.tree_all jax.tree_util.all_leaves "
        "jax.tree_reduce jax.tree_util.tree_reduce",
        "ad.tree.leaves",
        "ad.tree.leaves({'a': 1.0, 'b': (2.0, 3.0)})",
    ),
    entry(
        "jax.tree_flatten jax.tree_util.tree_flatten autograd.misc.flatten autograd.flatten tf.nest.flatten",
        "ad.tree.flatten",
        "leaves, structure = ad.tree.flatten({'a': 1.0, 'b': 2.0})",
    ),
    entry(
        "jax.tree_unflatten jax.tree_util.tree_unflatten jax.tree_util.build_tree",
        "ad.tree.unflatten",
        "leaves, structure = ad.tree.flatten({'a': 1.0}); ad.tree.unflatten(structure, leaves)",
    ),
    entry(
        "jax.tree_structure jax.tree_util.tree_structure",
        "ad.tree.structure",
        "ad.tree.structure({'a': 1.0})",
    ),
    entry(
        "jax.tree_util.tree_map_with_path jax.tree_util.tree_leaves_with_path jax.tree_map_with_path "
        "jax.tree_util.keystr jax.tree_flatten_with_path",
        "ad.tree.paths",
        "ad.tree.paths({'a': (1.0, 2.0)})",
    ),
    entry(
        "jax.flatten_util jax.flatten_util.ravel_pytree jax.ravel_pytree",
        "ad.tree.ravel",
        "vector, unravel = ad.tree.ravel({'a': 1.0, 'b': np.ones(2)})",
    ),
    entry(
        "jax.register_pytree_node jax.tree_util.register_pytree_node "
        "jax.tree_util.register_pytree_node_class jax.tree_util.register_dataclass "
        "jax.tree_util.register_static jax.register_dataclass jax.register_pytree_node_class "
        "jax.tree_util.Partial flax.struct.dataclass",
        "ad.register",
        "@ad.register(fields=['w'])\n"
        "class Layer:\n"
        "    def __init__(self, w):\n"
        "        self.w = w\n"
        "ad.grad(lambda layer: layer.w**2)(Layer(3.0)).w",
    ),
    entry(
        "flax.linen flax.nnx torch.nn.Module torch.nn.Linear torch.nn.Parameter flax.linen.Dense "
        "tf.keras torch.func.functional_call torch.func.stack_module_state",
        "has no counterpart, as parameters are structures of arrays",
        "params = {'w': np.ones((2, 3)), 'b': np.zeros(3)}; ad.grad(lambda p, x: np.sum(np.tanh(x @ "
        "p['w'] + p['b'])))(params, np.ones(2))['b']",
    ),
)

SOLVING: Final[tuple[Entry, ...]] = (
    entry(
        "optax.adam torch.optim.Adam torch.optim jax.example_libraries.optimizers "
        "autograd.misc.optimizers.adam torch.optim.AdamW torch.optim.SGD optax.sgd "
        "tf.keras.optimizers.Adam optax.chain jax.optimizers optax.optax",
        "ad.optimize.adam",
        "optimizer = ad.optimize.adam(1e-2); state = optimizer.init(np.ones(3))",
    ),
    entry(
        "optax.clip_by_global_norm torch.nn.utils.clip_grad_norm_ tf.clip_by_global_norm",
        "ad.optimize.clip_by_global_norm",
        "optimizer = ad.optimize.clip_by_global_norm(ad.optimize.adam(1e-2), 1.0)",
    ),
    entry(
        "optax.clip torch.nn.utils.clip_grad_value_",
        "ad.optimize.clip_by_value",
        "optimizer = ad.optimize.clip_by_value(ad.optimize.adam(1e-2), 1.0)",
    ),
    entry(
        "optax.masked optax.multi_transform optax.set_to_zero",
        "ad.optimize.masked",
        "optimizer = ad.optimize.masked(ad.optimize.adam(1e-2), {'w': True, 'b': False})",
    ),
    entry(
        "optax.cosine_decay_schedule torch.optim.lr_scheduler.CosineAnnealingLR",
        "ad.optimize.cosine_decay",
        "optimizer = ad.optimize.adam(ad.optimize.cosine_decay(1e-2, steps=100))",
    ),
    entry(
        "optax.exponential_decay torch.optim.lr_scheduler.ExponentialLR",
        "ad.optimize.exponential_decay",
        "optimizer = ad.optimize.adam(ad.optimize.exponential_decay(1e-2, 0.5, steps=100))",
    ),
    entry(
        "optax.linear_schedule optax.warmup_cosine_decay_schedule torch.optim.lr_scheduler.LinearLR",
        "ad.optimize.warm_up",
        "optimizer = ad.optimize.adam(ad.optimize.warm_up(ad.optimize.cosine_decay(1e-2, 100), steps=10))",
    ),
    entry(
        "jaxopt.LBFGS jax.scipy.optimize.minimize torch.optim.LBFGS jaxopt.BFGS optax.lbfgs jaxopt.jaxopt "
        "jaxopt.ScipyMinimize jax.bfgs",
        "ad.minimize",
        "ad.minimize(lambda x: np.sum((x - 2.0) ** 2), np.zeros(2))",
    ),
    entry(
        "jax.lax.custom_root jaxopt.Newton jaxopt.Bisection optimistix.root_find tf.root_search",
        "ad.root",
        "ad.root(lambda x: x**2 - 2.0, 1.0)",
    ),
    entry(
        "jaxopt.FixedPointIteration jaxopt.AndersonAcceleration optimistix.fixed_point",
        "ad.fixed_point",
        "ad.fixed_point(lambda x: np.cos(x), 1.0)",
    ),
    entry(
        "jax.lax.custom_linear_solve jax.scipy.sparse.linalg.cg lineax.linear_solve "
        "jaxopt.linear_solve jax.cg",
        "ad.linear_solve",
        "ad.linear_solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.ones(2))",
    ),
    entry(
        "jax.experimental.ode jax.experimental.ode.odeint diffrax.diffeqsolve torchdiffeq.odeint "
        "diffrax.Tsit5 torchdiffeq.odeint_adjoint diffrax.diffrax",
        "ad.odeint",
        "ad.odeint(lambda y, t: -y, 1.0, np.array([0.0, 1.0]))",
    ),
    entry(
        "jax.random.PRNGKey jax.random.wrap_key_data jax.PRNGKey torch.manual_seed jax.random.key_data "
        "tf.random.set_seed torch.Generator",
        "ad.random.key",
        "key = ad.random.key(0)",
    ),
    entry(
        "torch.randn jax.random.randn tf.random.normal torch.normal",
        "ad.random.normal",
        "ad.random.normal(ad.random.key(0), (3,))",
    ),
    entry(
        "torch.rand jax.random.rand tf.random.uniform",
        "ad.random.uniform",
        "ad.random.uniform(ad.random.key(0), (3,))",
    ),
    entry(
        "torch.randperm jax.random.shuffle jax.random.permutation",
        "ad.random.permutation",
        "ad.random.permutation(ad.random.key(0), 5)",
    ),
    entry(
        "jax.random.orthogonal",
        "is the Q of np.linalg.qr of ad.random.normal here",
        "np.linalg.qr(ad.random.normal(ad.random.key(0), (3, 3)))[0]",
    ),
    entry(
        "jax.random.weibull_min",
        "ad.random.weibull",
        "ad.random.weibull(ad.random.key(0), 2.0)",
    ),
    entry(
        "jax.random.t",
        "ad.random.student_t",
        "ad.random.student_t(ad.random.key(0), 3.0)",
    ),
    entry(
        "jax.random.split_key torch.split_key jax.random.clone",
        "ad.random.split",
        "key, own = ad.random.split(ad.random.key(0))",
    ),
)
