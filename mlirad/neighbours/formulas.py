"""Names of formulas, such as layers of neural networks and special functions.

jax.nn.relu         np.maximum(x, 0)
jax.lax.erf_inv     scipy.special.erfinv
"""

from __future__ import annotations

from typing import Final

from mlirad.neighbours.entries import Entry, entry

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
        "jax.nn.elu jax.nn.celu torch.nn.functional.elu",
        "is np.where(x > 0, x, np.expm1(x)) here",
        "ad.grad(lambda x: np.where(x > 0, x, np.expm1(x)))(-1.0)",
    ),
    entry(
        "jax.nn.sigmoid jax.lax.logistic torch.sigmoid tf.sigmoid torch.nn.functional.sigmoid",
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
        "jax.nn.one_hot enzyme.onehot torch.nn.functional.one_hot tf.one_hot",
        "is np.eye(n)[labels] here",
        "ad.jit(lambda i: ad.asarray(np.eye(3))[i])(np.array([0, 2]))",
    ),
    entry(
        "jax.nn.relu6 torch.nn.functional.relu6",
        "is np.clip(x, 0, 6) here",
        "ad.grad(lambda x: np.clip(x, 0.0, 6.0))(1.0)",
    ),
    entry(
        "jax.nn.hard_tanh torch.nn.functional.hardtanh",
        "is np.clip(x, -1, 1) here",
        "ad.grad(lambda x: np.clip(x, -1.0, 1.0))(0.5)",
    ),
    entry(
        "jax.nn.hard_sigmoid torch.nn.functional.hardsigmoid",
        "is np.clip(x / 6 + 0.5, 0, 1) here",
        "ad.grad(lambda x: np.clip(x / 6 + 0.5, 0.0, 1.0))(0.5)",
    ),
    entry(
        "jax.nn.hard_silu jax.nn.hard_swish",
        "is x * np.clip(x / 6 + 0.5, 0, 1) here",
        "ad.grad(lambda x: x * np.clip(x / 6 + 0.5, 0.0, 1.0))(0.5)",
    ),
    entry(
        "jax.nn.log_sigmoid torch.nn.functional.logsigmoid",
        "is -np.logaddexp(0, -x) here",
        "ad.grad(lambda x: -np.logaddexp(0.0, -x))(1.0)",
    ),
    entry(
        "jax.nn.selu torch.nn.functional.selu",
        "is 1.0507 * np.where(x > 0, x, 1.6733 * np.expm1(x)) here",
        "ad.grad(lambda x: 1.0507 * np.where(x > 0, x, 1.6733 * np.expm1(x)))(1.0)",
    ),
    entry(
        "jax.nn.soft_sign torch.nn.functional.softsign",
        "is x / (1 + np.abs(x)) here",
        "ad.grad(lambda x: x / (1 + np.abs(x)))(1.0)",
    ),
    entry(
        "jax.nn.squareplus",
        "is (x + np.sqrt(x * x + 4)) / 2 here",
        "ad.grad(lambda x: (x + np.sqrt(x * x + 4)) / 2)(1.0)",
    ),
    entry(
        "jax.nn.mish torch.nn.functional.mish",
        "is x * np.tanh(np.logaddexp(x, 0)) here",
        "ad.grad(lambda x: x * np.tanh(np.logaddexp(x, 0.0)))(1.0)",
    ),
    entry(
        "jax.nn.glu torch.nn.functional.glu",
        "is a * scipy.special.expit(b) for the halves a and b here",
        "import scipy.special; ad.grad(lambda x: np.sum(x[:2] * scipy.special.expit(x[2:])))(np.ones(4))",
    ),
    entry(
        "jax.nn.logmeanexp",
        "is scipy.special.logsumexp(x) - np.log(x.size) here",
        "import scipy.special; ad.grad(lambda x: scipy.special.logsumexp(x) - np.log(x.size))(np.ones(3))",
    ),
    entry(
        "jax.nn.standardize jax.nn.normalize torch.nn.functional.layer_norm",
        "is (x - np.mean(x)) / np.std(x) here",
        "ad.jit(lambda x: (x - np.mean(x)) / np.std(x))(np.arange(3.0))",
    ),
    entry(
        "jax.nn.dot_product_attention torch.nn.functional.scaled_dot_product_attention",
        "is scipy.special.softmax(q @ k.T / np.sqrt(d), -1) @ v here",
        "import scipy.special; ad.jit(lambda q, k, v: scipy.special.softmax(q @ k.T / np.sqrt(2.0), -1) "
        "@ v)(np.eye(2), np.eye(2), np.eye(2))",
    ),
    entry(
        "jax.nn.initializers torch.nn.init",
        "is ad.random.normal, scaled, here",
        "ad.random.normal(ad.random.key(0), (3, 2)) / np.sqrt(3)",
    ),
    entry(
        "jax.lax.erf_inv torch.erfinv",
        "scipy.special.erfinv",
        "import scipy.special; ad.grad(lambda x: scipy.special.erfinv(x))(0.5)",
    ),
    entry(
        "jax.lax.lgamma torch.lgamma tf.math.lgamma",
        "scipy.special.gammaln",
        "import scipy.special; ad.grad(lambda x: scipy.special.gammaln(x))(2.5)",
    ),
    entry(
        "jax.lax.igamma torch.igamma tf.math.igamma",
        "scipy.special.gammainc",
        "import scipy.special; ad.grad(lambda x: scipy.special.gammainc(2.0, x))(1.5)",
    ),
    entry(
        "jax.lax.bessel_i0e",
        "scipy.special.i0e",
        "import scipy.special; ad.grad(lambda x: scipy.special.i0e(x))(1.5)",
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
