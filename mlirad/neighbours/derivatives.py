"""Names of derivatives and of what has a derivative of its own.

jax.custom_vjp      ad.custom_derivative
"""

from __future__ import annotations

from typing import Final

from mlirad.neighbours.entries import Entry, entry

DERIVATIVES: Final[tuple[Entry, ...]] = (
    entry(
        "jax.custom_vjp jax.custom_jvp jax.custom_gradient jax.custom_derivatives autograd.primitive "
        "autograd.extend autograd.defvjp autograd.defjvp autograd.defvjp_argnum autograd.defjvp_argnum "
        "autograd.def_linear autograd.notrace_primitive autograd.extend.primitive autograd.extend.defvjp "
        "torch.autograd.Function torch.library.custom_op tf.custom_gradient enzyme.EnzymeRules",
        "ad.custom_derivative",
        "step = ad.custom_derivative(np.sign); step.rule(lambda x: lambda dx: dx); ad.grad(step)(2.0)",
    ),
    entry(
        "autograd.elementwise_grad autograd.egrad forwarddiff.derivative numdifftools.Derivative "
        "autograd.deriv",
        "is ad.grad under ad.vmap here",
        "ad.vmap(ad.grad(np.sin))(np.ones(3))",
    ),
    entry(
        "jax.value_and_gradient torch.func.grad_and_value autograd.grad_and_aux zygote.withgradient "
        "autograd.value_and_gradient",
        "ad.value_and_grad",
        "ad.value_and_grad(lambda w: np.sum(w**2))(np.ones(3))",
    ),
    entry(
        "zygote.gradient forwarddiff.gradient tf.gradients numdifftools.Gradient casadi.gradient "
        "enzyme.autodiff enzyme.Reverse enzyme.ReverseWithPrimal enzyme.Active enzyme.enzyme_ad "
        "enzyme.__enzyme_autodiff autograd.gradient enzyme.autodiff_deferred",
        "ad.grad",
        "ad.grad(lambda x, y: x * y)(2.0, 3.0)",
    ),
    entry(
        "torch.autograd torch.autograd.grad torch.autograd.backward torch.backward torch.requires_grad "
        "torch.requires_grad_ torch.zero_grad tf.GradientTape torch.retain_graph autograd.backward",
        "has no counterpart, as derivatives are of functions: write ad.grad(f)",
        "ad.grad(lambda w: np.sum(w**2))(np.ones(3))",
    ),
    entry(
        "torch.no_grad torch.enable_grad torch.set_grad_enabled torch.inference_mode torch.detach "
        "jax.lax.stop_gradient tf.stop_gradient zygote.ignore enzyme.Const tf.no_gradient "
        "torch.is_grad_enabled",
        "ad.stop_gradient",
        "ad.grad(lambda x: x * ad.stop_gradient(x))(3.0)",
    ),
    entry(
        "autograd.make_jvp autograd.make_jvp_reversemode enzyme.__enzyme_fwddiff "
        "torch.autograd.functional.jvp enzyme.Forward enzyme.Duplicated enzyme.DuplicatedNoNeed "
        "torch.autograd.forward_ad enzyme.ForwardWithPrimal enzyme.MixedDuplicated",
        "ad.jvp",
        "ad.jvp(np.sin, (1.0,), (2.0,))",
    ),
    entry(
        "enzyme.BatchDuplicated enzyme.BatchDuplicatedNoNeed",
        "is ad.jvp under ad.vmap here",
        "ad.vmap(lambda dx: ad.jvp(np.sin, (1.0,), (dx,))[1])(np.ones(3))",
    ),
    entry(
        "autograd.make_vjp jax.fwd_and_bwd jax.vjp3 jax.saved_input_vjp enzyme.autodiff_thunk "
        "autograd.vector_jacobian_product autograd.tensor_jacobian_product torch.autograd.functional.vjp "
        "zygote.pullback",
        "ad.vjp",
        "y, pullback = ad.vjp(np.sin, np.ones(3)); pullback(np.ones(3))",
    ),
    entry(
        "autograd.hessian_vector_product autograd.make_hvp autograd.hessian_tensor_product "
        "torch.autograd.functional.hvp torch.autograd.functional.vhp enzyme.hvp",
        "ad.hvp",
        "ad.hvp(lambda x: np.sum(x**3), (np.ones(2),), (np.ones(2),))",
    ),
    entry(
        "torch.autograd.functional.jacobian forwarddiff.jacobian numdifftools.Jacobian casadi.jacobian "
        "jax.value_and_jacobian tf.batch_jacobian",
        "ad.jacobian",
        "ad.jacobian(lambda x: np.array([x[0] * x[1], x[0]]))(np.ones(2))",
    ),
    entry(
        "torch.autograd.functional.hessian forwarddiff.hessian numdifftools.Hessian casadi.hessian "
        "tf.hessians numdifftools.Hessdiag",
        "ad.hessian",
        "ad.hessian(lambda x: np.sum(x**3))(np.ones(2))",
    ),
    entry(
        "autograd.make_ggnvp",
        "is made of the linear map that ad.linearize gives here",
        "y, J = ad.linearize(np.sin, np.ones(3)); (J.T @ J)(np.ones(3))",
    ),
    entry(
        "jax.linear_transpose",
        "is the transpose of a map that ad.linearize gives here",
        "y, J = ad.linearize(lambda x: 2 * x, np.ones(3)); J.T(np.ones(3))",
    ),
    entry(
        "enzyme.hvp_and_gradient",
        "is ad.jvp of ad.grad(f) here",
        "ad.jvp(ad.grad(lambda x: x**3), (2.0,), (1.0,))",
    ),
    entry(
        "enzyme.enzyme_const enzyme.enzyme_dup enzyme.enzyme_out enzyme.Annotation",
        "is argnums here, which names what derivatives are by",
        "ad.grad(lambda x, y: x * y, argnums=1)(2.0, 3.0)",
    ),
    entry(
        "enzyme.make_zero",
        "is not needed here: gradients are returned",
        "ad.grad(lambda x: np.sum(x**2))(np.ones(3))",
    ),
    entry(
        "torch.func torch.func.functionalize",
        "has its functions in ad here: ad.grad, ad.vjp, ad.jvp, ad.vmap",
        "ad.vmap(ad.grad(np.sin))(np.ones(3))",
    ),
    entry(
        "autograd.misc autograd.test_util autograd.tracer autograd.core",
        "has its functions in ad here: ad.odeint, ad.fixed_point, ad.optimize, ad.check_derivatives",
        "ad.check_derivatives(np.sin, 1.0)",
    ),
    entry(
        "jax.experimental",
        "has its functions in ad here: ad.odeint, ad.export, and sparse=True of ad.jacobian",
        "ad.odeint(lambda y, t: -y, 1.0, np.array([0.0, 1.0]))",
    ),
    entry(
        "autograd.holomorphic_grad",
        "is ad.grad with holomorphic=True here",
        "ad.grad(lambda z: z * z, holomorphic=True)(1.0 + 2.0j)",
    ),
    entry(
        "autograd.multigrad_dict autograd.grad_named autograd.multigrad",
        "is ad.grad with argnums here",
        "ad.grad(lambda a, b: a * b, argnums=('a', 'b'))(2.0, 3.0)",
    ),
    entry(
        "jax.remat jax.ad_checkpoint torch.utils.checkpoint tf.recompute_grad torch.utils "
        "zygote.checkpointed jax.checkpoint_policies",
        "ad.checkpoint",
        "ad.grad(ad.checkpoint(lambda x: np.sin(np.sin(x))))(1.0)",
    ),
    entry(
        "jax.test_util.check_grads jax.check_grads autograd.test_util.check_grads autograd.check_vjp "
        "autograd.quick_grad_check torch.autograd.gradcheck torch.gradcheck torch.autograd.gradgradcheck",
        "ad.check_derivatives",
        "ad.check_derivatives(np.sin, 1.0)",
    ),
    entry(
        "jax.experimental.sparse jax.sparse sparsejac.jacrev casadi.jacobian_sparsity",
        "is sparse=True of ad.jacobian and ad.hessian here",
        "ad.jacobian(lambda x: x[1:] - x[:-1], sparse=True)(np.ones(4)).toarray()",
    ),
    entry(
        "jax.closure_convert",
        "is not needed here: functions may read variables around them",
        "k = 3.0; ad.grad(lambda x: k * x)(1.0)",
    ),
)
