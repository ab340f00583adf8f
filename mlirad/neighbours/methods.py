"""Names of methods and attributes of arrays.

x.backward()        ad.grad(f)
x.unsqueeze(0)      np.expand_dims(x, 0)
"""

from __future__ import annotations

from typing import Final

from mlirad.neighbours.entries import Entry, entry

METHODS: Final[tuple[Entry, ...]] = (
    entry(
        "torch.Tensor.backward torch.Tensor.grad torch.Tensor.requires_grad torch.Tensor.requires_grad_ "
        "torch.Tensor.retain_grad torch.Tensor.grad_fn torch.Tensor.is_leaf torch.Tensor.register_hook",
        "has no counterpart, as derivatives are of functions: write ad.grad(f)",
        "ad.grad(lambda w: np.sum(w**2))(np.ones(3))",
    ),
    entry(
        "torch.Tensor.detach torch.Tensor.detach_",
        "ad.stop_gradient",
        "ad.grad(lambda x: x * ad.stop_gradient(x))(3.0)",
    ),
    entry(
        "jax.Array.block_until_ready torch.Tensor.numpy torch.Tensor.cpu torch.Tensor.cuda "
        "torch.Tensor.to torch.Tensor.contiguous torch.Tensor.is_cuda torch.Tensor.is_contiguous "
        "jax.Array.sharding jax.Array.devices torch.Tensor.data_ptr torch.Tensor.pin_memory "
        "jax.Array.addressable_data tf.Tensor.eval torch.Tensor.resolve_conj torch.Tensor.share_memory_",
        "is not needed here: arrays are in the processor's memory, and results are NumPy arrays",
        "ad.jit(lambda x: np.sin(x))(1.0)",
    ),
    entry(
        "torch.Tensor.unsqueeze torch.Tensor.unsqueeze_",
        "np.expand_dims",
        "ad.jit(lambda x: np.expand_dims(x, 0))(np.ones(2))",
    ),
    entry(
        "torch.Tensor.permute tf.Tensor.set_shape torch.Tensor.movedim",
        "np.transpose",
        "ad.jit(lambda x: np.transpose(x, (1, 0)))(np.eye(2))",
    ),
    entry(
        "torch.Tensor.t torch.Tensor.adjoint torch.Tensor.t_",
        "is x.T here",
        "ad.jit(lambda x: x.T)(np.eye(2))",
    ),
    entry(
        "torch.Tensor.view_as torch.Tensor.reshape_as torch.Tensor.unflatten",
        "is x.reshape(shape) here",
        "ad.jit(lambda x: x.reshape(2, 2))(np.ones(4))",
    ),
    entry(
        "torch.Tensor.expand torch.Tensor.expand_as",
        "np.broadcast_to",
        "ad.jit(lambda x: np.broadcast_to(x, (2, 3)))(np.ones(3))",
    ),
    entry(
        "torch.Tensor.dim torch.Tensor.ndimension torch.Tensor.get_shape",
        "is x.ndim or x.shape here",
        "ad.jit(lambda x: x.ndim * x)(np.ones(3))",
    ),
    entry(
        "torch.Tensor.numel torch.Tensor.nelement",
        "is x.size here",
        "ad.jit(lambda x: x / x.size)(np.ones(3))",
    ),
    entry(
        "torch.Tensor.float torch.Tensor.double torch.Tensor.long torch.Tensor.int torch.Tensor.half "
        "torch.Tensor.bool torch.Tensor.type torch.Tensor.type_as",
        "is x.astype(dtype) here",
        "ad.jit(lambda x: x.astype(np.float64))(np.arange(3))",
    ),
    entry(
        "torch.Tensor.add_ torch.Tensor.sub_ torch.Tensor.mul_ torch.Tensor.div_ torch.Tensor.copy_ "
        "torch.Tensor.zero_ torch.Tensor.fill_ torch.Tensor.addcmul_ torch.Tensor.clamp_ "
        "torch.Tensor.index_add_ torch.Tensor.index_put_ torch.Tensor.scatter_ torch.Tensor.masked_fill_ "
        "tf.Tensor.assign tf.Tensor.assign_add torch.Tensor.scatter_add_ torch.Tensor.relu_",
        "is an assignment here: x[...] = v, x += v",
        "def add(x, v):\n    x[...] = x + v\n    return x\nad.jit(add)(np.zeros(3), 2.0)",
    ),
    entry(
        "torch.Tensor.clamp torch.Tensor.clamp_min torch.Tensor.clamp_max",
        "np.clip",
        "ad.jit(lambda x: np.clip(x, 0.0, 1.0))(np.ones(3))",
    ),
    entry(
        "torch.Tensor.mm torch.Tensor.bmm torch.Tensor.mv torch.Tensor.addmm",
        "is x @ y here",
        "ad.jit(lambda x: x @ x)(np.eye(2))",
    ),
    entry(
        "torch.Tensor.relu",
        "is np.maximum(x, 0) here",
        "ad.grad(lambda x: np.maximum(x, 0.0))(1.0)",
    ),
    entry(
        "torch.Tensor.sigmoid",
        "scipy.special.expit",
        "import scipy.special; ad.grad(lambda x: scipy.special.expit(x))(1.0)",
    ),
    entry(
        "torch.Tensor.masked_fill torch.Tensor.masked_select",
        "np.where",
        "ad.jit(lambda x: np.where(x > 1, x, 0.0))(np.ones(3))",
    ),
    entry(
        "torch.Tensor.index_select",
        "np.take",
        "ad.jit(lambda x: np.take(x, [0, 2]))(np.ones(3))",
    ),
    entry(
        "torch.Tensor.gather",
        "np.take_along_axis",
        "ad.jit(lambda x, i: np.take_along_axis(x, i, 0))(np.ones(3), np.array([2, 0]))",
    ),
    entry(
        "torch.Tensor.topk",
        "is np.sort or np.argsort here",
        "ad.jit(lambda x: np.sort(x)[::-1][:2])(np.arange(5.0))",
    ),
    entry(
        "torch.Tensor.chunk torch.Tensor.unbind",
        "np.split",
        "ad.jit(lambda x: np.split(x, 2)[0])(np.ones(4))",
    ),
    entry(
        "torch.Tensor.norm",
        "np.linalg.norm",
        "ad.grad(lambda x: np.linalg.norm(x))(np.ones(3))",
    ),
    entry(
        "torch.Tensor.new_zeros torch.Tensor.new_ones torch.Tensor.new_tensor",
        "is np.zeros, np.ones or np.array here",
        "ad.jit(lambda x: x + np.zeros(3))(1.0)",
    ),
)
"""Those that NumPy's arrays do not have."""
