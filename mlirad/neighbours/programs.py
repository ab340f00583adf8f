"""Names of loops and branches, of elements that are read and written, and of what compiles programs.

jax.lax.scan        ad.scan
jax.make_jaxpr      ad.jit(f).ir(x)
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
        "jax.lax.associative_scan jax.associative_scan jax.lax.cumsum jax.lax.cumprod jax.lax.cummax",
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
        "jax.lax.dynamic_update_slice jax.lax.dynamic_update_slice_in_dim jax.ops.index_update "
        "jax.ops.index_add jax.index_update jax.index_add torch.scatter_ torch.index_add",
        "is an assignment here: x[i] = v, x[i] += v",
        "def put(x, v):\n    x[1] += v\n    return x\nad.jit(put)(np.zeros(3), 2.0)",
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
        "jax.lax.conv jax.lax.conv_general_dilated torch.nn.functional.conv1d torch.nn.functional.conv2d "
        "torch.conv2d torch.nn.Conv2d tf.nn.conv2d",
        "ad.convolution",
        "ad.convolution(np.ones((1, 1, 5)), np.ones((1, 1, 3)))",
    ),
    entry(
        "jax.lax.dot_general jax.lax.batch_matmul torch.bmm torch.mm",
        "is np.einsum, np.tensordot or @ here",
        "ad.jit(lambda a, b: a @ b)(np.eye(2), np.ones((2, 2)))",
    ),
    entry(
        "jax.ops.segment_sum jax.segment_sum jax.lax.scatter_add tf.math.segment_sum torch.scatter_add "
        "tf.math.unsorted_segment_sum",
        "is np.bincount with weights here, or ad.bincount where the positions are traced",
        "ad.jit(lambda i, x: ad.bincount(i, x, length=2))(np.array([0, 1, 1]), np.ones(3))",
    ),
    entry(
        "jax.lax.top_k torch.topk tf.math.top_k",
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

COMPILING: Final[tuple[Entry, ...]] = (
    entry(
        "torch.compile tf.function jax.xla_computation torch.jit.script torch.jit.trace jax.aot",
        "ad.jit",
        "ad.jit(lambda x: np.sin(x) ** 2)(1.0)",
    ),
    entry(
        "jax.pmap jax.shard_map jax.experimental.shard_map jax.xmap torch.nn.DataParallel "
        "torch.vectorize_map jax.soft_pmap",
        "is ad.vmap with threads here",
        "ad.vmap(np.sin, threads=2)(np.ones(4))",
    ),
    entry(
        "tf.vectorized_map tf.map_fn torch.func.vmap torch.functorch",
        "ad.vmap",
        "ad.vmap(np.sin)(np.ones(4))",
    ),
    entry(
        "jax.block_until_ready torch.cuda.synchronize torch.synchronize jax.effects_barrier torch.cpu",
        "is not needed here: results are NumPy arrays, whole when the call returns",
        "ad.jit(np.sin)(1.0)",
    ),
    entry(
        "jax.make_jaxpr torch.fx.symbolic_trace torch.fx",
        "is the program as text here: ad.jit(f).ir(x)",
        "ad.jit(np.sin).ir(1.0)",
    ),
    entry(
        "jax.eval_shape jax.ShapeDtypeStruct",
        "is what ad.jit(f).lower(x) says of its outputs here",
        "ad.jit(lambda x: x[:2]).lower(np.ones(5)).outputs",
    ),
    entry(
        "jax.disable_jit",
        "is the option interpret=True here, or a call of the function itself",
        "ad.jit(np.sin, interpret=True)(1.0)",
    ),
    entry(
        "jax.debug jax.debug.print jax.host_callback.id_print",
        "ad.debug_print",
        "ad.jit(lambda x: (ad.debug_print('x = {}', x), x)[1])(2.0)",
    ),
    entry(
        "jax.debug_nans jax.config.jax_debug_nans torch.autograd.detect_anomaly torch.detect_anomaly "
        "torch.autograd.set_detect_anomaly torch.set_detect_anomaly tf.debugging.enable_check_numerics",
        "is the option check_nans here",
        "ad.jit(np.log, check_nans=True)(2.0)",
    ),
    entry(
        "jax.pure_callback jax.io_callback jax.debug.callback jax.host_callback "
        "jax.experimental.host_callback tf.py_function tf.numpy_function",
        "has no counterpart, as programs do not call Python: compute it outside, and pass the result",
        "table = np.linspace(0.0, 1.0, 5); ad.jit(lambda x, table: x * table)(2.0, table)",
    ),
    entry(
        "jax.export torch.export torch.onnx torch.onnx.export torch.jit.save tf.saved_model",
        "ad.export",
        "ad.export(np.sin, 1.0, path='sine.o')",
    ),
    entry(
        "jax.profiler torch.profiler torch.profiler.profile tf.profiler",
        "is ad.jit(f).profile(x) here",
        "ad.jit(np.sin).profile(1.0)",
    ),
    entry(
        "jax.named_call jax.named_scope tf.name_scope",
        "is not needed here: operations know their lines",
        "ad.jit(np.sin).ir(1.0)",
    ),
    entry(
        "jax.clear_caches torch.compiler.reset",
        "is a new ad.jit(f) here; mlirad-cache clear empties the disk",
        "ad.jit(np.sin)(1.0)",
    ),
    entry(
        "jax.devices jax.local_devices jax.device_count jax.default_backend jax.process_index "
        "torch.device torch.cuda torch.cuda.is_available torch.to jax.default_device "
        "torch.set_default_device",
        "has no counterpart: programs run on the processor, in ad.config.threads threads",
        "ad.config.threads",
    ),
    entry(
        "jax.enable_x64 jax.experimental.enable_x64 jax.config.update torch.set_default_dtype "
        "torch.float64 torch.float32 jax.config.jax_enable_x64",
        "is not needed here: arrays keep their dtype, and float64 is NumPy's",
        "ad.grad(np.sin)(np.float32(1.0)).dtype",
    ),
)
