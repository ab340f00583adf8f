"""Names of structures of arrays, of formulas and layers of neural networks, of solvers and random numbers.

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
        "jax.tree_leaves jax.tree_util.tree_leaves jax.tree_reduce jax.tree_util.tree_reduce",
        "ad.tree.leaves",
        "ad.tree.leaves({'a': 1.0, 'b': (2.0, 3.0)})",
    ),
    entry(
        "jax.tree_flatten jax.tree_util.tree_flatten autograd.misc.flatten autograd.flatten tf.nest.flatten",
        "ad.tree.flatten",
        "leaves, structure = ad.tree.flatten({'a': 1.0, 'b': 2.0})",
    ),
    entry(
        "jax.tree_unflatten jax.tree_util.tree_unflatten",
        "ad.tree.unflatten",
        "leaves, structure = ad.tree.flatten({'a': 1.0}); ad.tree.unflatten(structure, leaves)",
    ),
    entry(
        "jax.tree_structure jax.tree_util.tree_structure",
        "ad.tree.structure",
        "ad.tree.structure({'a': 1.0})",
    ),
    entry(
        "jax.tree_util.tree_map_with_path jax.tree_map_with_path jax.tree_util.keystr "
        "jax.tree_flatten_with_path",
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
        "jax.tree_util.register_pytree_node_class jax.tree_util.register_dataclass jax.register_dataclass "
        "jax.register_pytree_node_class jax.tree_util.Partial flax.struct.dataclass",
        "ad.register",
        "@ad.register(fields=['w'])\n"
        "class Layer:\n"
        "    def __init__(self, w):\n"
        "        self.w = w\n"
        "ad.grad(lambda layer: layer.w**2)(Layer(3.0)).w",
    ),
    entry(
        "flax.linen flax.nnx torch.nn.Module torch.nn.Linear torch.nn.Parameter flax.linen.Dense tf.keras",
        "has no counterpart, as parameters are structures of arrays",
        "params = {'w': np.ones((2, 3)), 'b': np.zeros(3)}; ad.grad(lambda p, x: np.sum(np.tanh(x @ "
        "p['w'] + p['b'])))(params, np.ones(2))['b']",
    ),
)

FORMULAS: Final[tuple[Entry, ...]] = (
    entry(
        "jax.nn.softplus torch.nn.functional.softplus torch.softplus",
        "is np.logaddexp(x, 0) here",
        "ad.grad(lambda x: np.logaddexp(x, 0.0))(1.0)",
    ),
    entry(
        "jax.nn.relu torch.relu torch.nn.functional.relu torch.nn.ReLU tf.nn.relu",
        "is np.maximum(x, 0) here",
        "ad.grad(lambda x: np.maximum(x, 0.0))(1.0)",
    ),
    entry(
        "jax.nn.leaky_relu torch.nn.functional.leaky_relu",
        "is np.where(x > 0, x, 0.01 * x) here",
        "ad.grad(lambda x: np.where(x > 0, x, 0.01 * x))(-1.0)",
    ),
    entry(
        "jax.nn.elu torch.nn.functional.elu",
        "is np.where(x > 0, x, np.expm1(x)) here",
        "ad.grad(lambda x: np.where(x > 0, x, np.expm1(x)))(-1.0)",
    ),
    entry(
        "jax.nn.sigmoid torch.sigmoid tf.sigmoid torch.nn.functional.sigmoid",
        "scipy.special.expit",
        "import scipy.special; ad.grad(lambda x: scipy.special.expit(x))(1.0)",
    ),
    entry(
        "jax.nn.gelu torch.nn.functional.gelu",
        "is x * scipy.special.ndtr(x) here",
        "import scipy.special; ad.grad(lambda x: x * scipy.special.ndtr(x))(1.0)",
    ),
    entry(
        "jax.nn.silu jax.nn.swish torch.nn.functional.silu",
        "is x * scipy.special.expit(x) here",
        "import scipy.special; ad.grad(lambda x: x * scipy.special.expit(x))(1.0)",
    ),
    entry(
        "jax.nn.one_hot torch.nn.functional.one_hot tf.one_hot",
        "is np.eye(n)[labels] here",
        "ad.jit(lambda i: ad.asarray(np.eye(3))[i])(np.array([0, 2]))",
    ),
    entry(
        "torch.nn.functional.mse_loss torch.nn.MSELoss",
        "is np.mean((y - t) ** 2) here",
        "ad.grad(lambda y: np.mean((y - 1.0) ** 2))(np.ones(3))",
    ),
    entry(
        "torch.nn.functional.cross_entropy torch.nn.CrossEntropyLoss optax.softmax_cross_entropy",
        "is scipy.special.logsumexp(y) - y[label] here",
        "import scipy.special; ad.grad(lambda y: scipy.special.logsumexp(y) - y[1])(np.ones(3))",
    ),
    entry(
        "torch.nn.functional.dropout torch.nn.Dropout flax.linen.Dropout",
        "ad.random.bernoulli",
        "key = ad.random.key(0); ad.jit(lambda x: x * ad.random.bernoulli(key, 0.5, (3,)) / 0.5)(np.ones(3))",
    ),
    entry(
        "jax.nn torch.nn torch.nn.functional torch.functional tf.nn torch.F",
        "has no counterpart, as such functions are a line of NumPy or SciPy",
        "import scipy.special; ad.grad(lambda x: np.sum(scipy.special.softmax(x) ** 2))(np.ones(3))",
    ),
    entry(
        "jax.ops torch.ops",
        "is indexing and assignment here",
        "def put(x, v):\n    x[1] += v\n    return x\nad.jit(put)(np.zeros(3), 2.0)",
    ),
    entry(
        "jax.image.resize jax.image torch.nn.functional.interpolate",
        "is np.repeat for whole factors here",
        "ad.jit(lambda x: np.repeat(np.repeat(x, 2, 0), 2, 1))(np.eye(2))",
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
        "jax.scipy.sparse.linalg jaxopt.linear_solve jax.cg",
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
        "jax.random.PRNGKey jax.PRNGKey torch.manual_seed jax.random.key_data tf.random.set_seed "
        "torch.Generator",
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
