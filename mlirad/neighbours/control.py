"""Names of loops and branches, and of elements that are read and written.

jax.lax.scan        ad.scan
jax.lax.rev         np.flip
"""

from __future__ import annotations

from typing import Final

from mlirad.neighbours.entries import Entry, entry

CONTROL: Final[tuple[Entry, ...]] = (
    entry(
        "jax.lax.scan",
        "ad.scan",
        "ad.scan(lambda c, x: (c + x, c), 0.0, np.ones(3))",
    ),
    entry(
        "jax.lax.fori_loop",
        "ad.fori_loop",
        "ad.fori_loop(0, 3, lambda i, x: 2.0 * x, 1.0)",
    ),
    entry(
        "jax.lax.while_loop",
        "ad.while_loop",
        "ad.while_loop(lambda x: x < 9.0, lambda x: 2.0 * x, 1.0)",
    ),
    entry(
        "jax.lax.cond",
        "ad.cond",
        "ad.jit(lambda x: ad.cond(x > 0, lambda: x, lambda: -x))(-2.0)",
    ),
    entry(
        "jax.lax.switch",
        "ad.switch",
        "ad.switch(1, [np.sin, np.cos], 2.0)",
    ),
    entry(
        "jax.lax.map",
        "ad.map",
        "ad.map(lambda x: 2.0 * x, np.ones(3))",
    ),
    entry(
        "jax.lax.associative_scan tf.math.scan_associative",
        "is ad.associative_scan here, whose function gets single slices",
        "ad.associative_scan(lambda a, b: a @ b, np.ones((3, 2, 2)))",
    ),
    entry(
        "jax.lax.cumsum jax.lax.cumprod jax.lax.cummax jax.lax.cummin",
        "is np.cumsum, np.cumprod, np.maximum.accumulate or ad.scan here",
        "ad.jit(np.cumsum)(np.ones(3))",
    ),
    entry(
        "jax.lax.select jax.lax.select_n tf.where",
        "np.where",
        "ad.jit(lambda x: np.where(x > 0, x, 0.0))(np.ones(2))",
    ),
    entry(
        "jax.lax.dynamic_slice jax.lax.dynamic_slice_in_dim jax.lax.dynamic_index_in_dim torch.narrow",
        "is indexing by positions here",
        "ad.jit(lambda x, i: x[i + np.arange(2)])(np.arange(5.0), 1)",
    ),
    entry(
        "jax.lax.dynamic_update_slice jax.lax.dynamic_update_index_in_dim "
        "jax.lax.dynamic_update_slice_in_dim jax.ops.index_update jax.ops.index_add jax.index_update "
        "jax.index_add torch.scatter_",
        "is an assignment here: x[i] = v, x[i] += v",
        "def put(x, v):\n    x[1] += v\n    return x\nad.jit(put)(np.zeros(3), 2.0)",
    ),
    entry(
        "jax.lax.slice jax.lax.slice_in_dim jax.lax.index_in_dim jax.lax.index_take torch.index_select "
        "torch.masked_select",
        "is indexing here",
        "ad.jit(lambda x: x[1:3])(np.arange(5.0))",
    ),
    entry(
        "jax.lax.reduce tf.reduce_sum",
        "is np.sum, np.max or ad.fold here",
        "ad.fold(lambda c, x: c * x, 1.0, np.arange(1.0, 4.0))",
    ),
    entry(
        "jax.lax.reduce_window torch.nn.functional.max_pool1d torch.nn.functional.max_pool2d tf.nn.max_pool",
        "is a reduction of windows here",
        "ad.jit(lambda x: np.max(np.lib.stride_tricks.sliding_window_view(x, 2), -1)[::2])(np.arange(4.0))",
    ),
    entry(
        "jax.lax.psum jax.lax.pmean jax.lax.pmax jax.lax.pmin jax.lax.all_gather jax.lax.all_to_all "
        "jax.lax.ppermute jax.lax.axis_index",
        "has no counterpart, as axes have no names: reduce outside of the mapped function",
        "np.sum(ad.vmap(np.sin)(np.ones(3)))",
    ),
    entry(
        "jax.lax.sort_key_val",
        "is indexing by np.argsort here",
        "ad.jit(lambda k, v: v[np.argsort(k)])(np.array([2.0, 1.0]), np.array([3.0, 4.0]))",
    ),
    entry(
        "jax.lax.broadcast_in_dim jax.lax.broadcast tf.broadcast_to",
        "np.broadcast_to",
        "ad.jit(lambda x: np.broadcast_to(x, (2, 3)))(np.ones(3))",
    ),
    entry(
        "jax.lax.rev tf.reverse",
        "np.flip",
        "ad.jit(lambda x: np.flip(x))(np.arange(3.0))",
    ),
    entry(
        "jax.lax.convert_element_type tf.cast",
        "is x.astype(dtype) here",
        "ad.jit(lambda x: x.astype(np.float32))(np.ones(3))",
    ),
    entry(
        "jax.lax.collapse torch.flatten_dims",
        "np.reshape",
        "ad.jit(lambda x: np.reshape(x, (-1,)))(np.eye(2))",
    ),
    entry(
        "jax.lax.zeros_like_array",
        "np.zeros_like",
        "ad.jit(lambda x: np.zeros_like(x))(np.ones(3))",
    ),
    entry(
        "jax.lax.integer_pow",
        "is x ** n here",
        "ad.grad(lambda x: x**3)(2.0)",
    ),
    entry(
        "torch.fft jax.lax.fft tf.signal.fft",
        "np.fft.fft",
        "ad.jit(lambda x: np.abs(np.fft.fft(x)))(np.ones(4))",
    ),
    entry(
        "torch.linalg jax.lax.linalg tf.linalg",
        "has its functions in np.linalg and scipy.linalg here",
        "ad.grad(lambda a: np.linalg.det(a))(np.eye(2))",
    ),
    entry(
        "jax.lax.gather",
        "ad.gather",
        "ad.jit(lambda x: ad.gather(x, 3, lambda i: i + 1))(np.arange(5.0))",
    ),
    entry(
        "jax.lax.scatter",
        "ad.scatter",
        "ad.jit(lambda x: ad.scatter(x, 5, lambda i: 2 * i))(np.ones(2))",
    ),
    entry(
        "jax.lax.conv jax.lax.conv_general_dilated jax.lax.conv_with_general_padding "
        "torch.nn.functional.conv1d torch.nn.functional.conv2d torch.conv2d torch.nn.Conv2d tf.nn.conv2d",
        "ad.convolution",
        "ad.convolution(np.ones((1, 1, 5)), np.ones((1, 1, 3)))",
    ),
    entry(
        "jax.lax.dot_general jax.lax.batch_matmul torch.bmm torch.mm",
        "is np.einsum, np.tensordot or @ here",
        "ad.jit(lambda a, b: a @ b)(np.eye(2), np.ones((2, 2)))",
    ),
    entry(
        "jax.ops.segment_sum jax.lax.scatter_add tf.math.segment_sum torch.scatter_add "
        "tf.math.unsorted_segment_sum",
        "ad.segment_sum",
        "ad.jit(lambda i, x: ad.segment_sum(x, i, num_segments=2))(np.array([0, 1, 1]), np.ones(3))",
    ),
    entry(
        "jax.ops.segment_max tf.math.segment_max tf.math.unsorted_segment_max torch.scatter_reduce",
        "ad.segment_max",
        "ad.segment_max(np.ones(3), np.array([0, 1, 1]), num_segments=2)",
    ),
    entry(
        "jax.ops.segment_min tf.math.segment_min tf.math.unsorted_segment_min",
        "ad.segment_min",
        "ad.segment_min(np.ones(3), np.array([0, 1, 1]), num_segments=2)",
    ),
    entry(
        "jax.ops.segment_prod tf.math.segment_prod tf.math.unsorted_segment_prod jax.lax.scatter_mul",
        "ad.segment_prod",
        "ad.segment_prod(np.ones(3), np.array([0, 1, 1]), num_segments=2)",
    ),
    entry(
        "jax.lax.top_k jax.lax.approx_max_k torch.topk tf.math.top_k",
        "is np.sort or np.argsort here",
        "ad.jit(lambda x: np.sort(x)[::-1][:2])(np.arange(5.0))",
    ),
    entry(
        "jax.lax.clamp torch.clamp tf.clip_by_value",
        "np.clip",
        "ad.jit(lambda x: np.clip(x, 0.0, 1.0))(3.0)",
    ),
    entry(
        "jax.lax.rsqrt torch.rsqrt tf.math.rsqrt",
        "is 1 / np.sqrt(x) here",
        "ad.grad(lambda x: 1 / np.sqrt(x))(4.0)",
    ),
    entry(
        "jax.lax.iota jax.lax.broadcasted_iota tf.range",
        "np.arange",
        "ad.jit(lambda x: x * np.arange(3))(2.0)",
    ),
    entry(
        "torch.cat tf.concat",
        "np.concatenate",
        "ad.jit(lambda x: np.concatenate([x, x]))(np.ones(2))",
    ),
    entry(
        "torch.unsqueeze tf.expand_dims",
        "np.expand_dims",
        "ad.jit(lambda x: np.expand_dims(x, 0))(np.ones(2))",
    ),
    entry(
        "torch.tensor torch.Tensor torch.autograd.Variable torch.as_tensor torch.from_numpy tf.constant "
        "tf.convert_to_tensor tf.Variable jax.device_put jax.device_get torch.FloatTensor "
        "torch.DoubleTensor",
        "is an array of NumPy here",
        "ad.grad(lambda w: np.sum(w**2))(np.array([1.0, 2.0]))",
    ),
    entry(
        "jax.lax jax.lax_numpy",
        "has its functions in ad here: ad.scan, ad.cond, ad.fori_loop, ad.while_loop, ad.switch, ad.map",
        "ad.scan(lambda c, x: (c + x, c), 0.0, np.ones(3))",
    ),
    entry(
        "jax.numpy jax.jnp autograd.np jax.numpy.vectorize torch.numpy",
        "is NumPy itself here",
        "import numpy as np; ad.grad(lambda x: np.sin(x) ** 2)(1.0)",
    ),
)
