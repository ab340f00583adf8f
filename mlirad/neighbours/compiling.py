"""Names of what compiles, shows, measures and places programs.

torch.compile       ad.jit
jax.make_jaxpr      ad.jit(f).ir(x)
"""

from __future__ import annotations

from typing import Final

from mlirad.neighbours.entries import Entry, entry

COMPILING: Final[tuple[Entry, ...]] = (
    entry(
        "torch.compile tf.function jax.xla_computation torch.jit.script torch.jit.trace jax.aot",
        "ad.jit",
        "ad.jit(lambda x: np.sin(x) ** 2)(1.0)",
    ),
    entry(
        "jax.pmap jax.shard_map jax.experimental.shard_map jax.xmap torch.nn.DataParallel "
        "torch.vectorize_map jax.soft_pmap jax.make_mesh jax.sharding jax.set_mesh jax.reshard jax.smap",
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
        "jax.ShapeDtypeStruct tf.TensorSpec",
        "ad.ShapeDtype",
        "ad.eval_shape(np.sin, ad.ShapeDtype((3,), np.float32))",
    ),
    entry(
        "jax.disable_jit tf.config.run_functions_eagerly torch.compiler.set_stance torch.compiler.disable",
        "is ad.config.eager here",
        "with ad.config.eager:\n    ad.jit(np.sin)(1.0)",
    ),
    entry(
        "jax.debug jax.debug.print jax.host_callback.id_print",
        "ad.debug_print",
        "ad.jit(lambda x: (ad.debug_print('x = {}', x), x)[1])(2.0)",
    ),
    entry(
        "jax.debug_nans jax.config.jax_debug_nans jax.debug_infs torch.autograd.detect_anomaly "
        "torch.detect_anomaly torch.autograd.set_detect_anomaly torch.set_detect_anomaly "
        "tf.debugging.enable_check_numerics",
        "is the option check_nans here",
        "ad.jit(np.log, check_nans=True)(2.0)",
    ),
    entry(
        "jax.pure_callback jax.host_callback.call jax.experimental.host_callback.call "
        "tf.py_function tf.numpy_function",
        "ad.callback",
        "ad.jit(lambda x: ad.callback(lambda x: float(f'{x:.2f}'), 0.0, x))(1.2345)",
    ),
    entry(
        "jax.debug.callback jax.io_callback jax.host_callback jax.experimental.host_callback "
        "jax.host_callback.id_tap",
        "ad.debug_callback",
        "ad.jit(lambda x: (ad.debug_callback(print, x), x)[1])(2.0)",
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
        "jax.log_compiles jax.config.jax_log_compiles",
        "is the logger mlirad here",
        "import logging; logging.getLogger('mlirad').setLevel('INFO'); ad.jit(np.sin)(1.0)",
    ),
    entry(
        "jax.default_matmul_precision torch.set_float32_matmul_precision",
        "is not needed here: products have the precision of their operands",
        "ad.jit(lambda a: a @ a)(np.eye(2, dtype=np.float32)).dtype",
    ),
    entry(
        "jax.ensure_compile_time_eval",
        "is not needed here: NumPy computes what is not traced",
        "ad.jit(lambda x: x * np.sum(np.arange(3.0)))(2.0)",
    ),
    entry(
        "jax.typeof",
        "is x.shape and x.dtype here",
        "ad.jit(lambda x: x * x.shape[0])(np.ones(3))",
    ),
    entry(
        "jax.float0",
        "is None in gradients here",
        "ad.grad(lambda p: p['w'] * p['n'])({'w': 2.0, 'n': 3})",
    ),
    entry(
        "jax.dlpack torch.utils.dlpack",
        "is not needed here: arguments are read by DLPack",
        "ad.jit(np.sin)(np.ones(3))",
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
        "torch.device torch.set_num_threads torch.cuda torch.cuda.is_available torch.to jax.default_device "
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
