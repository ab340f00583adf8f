module @jit_predators_by_runge_kutta attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<4xf64>) -> (tensor<12x2xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg1 [0:1] : (tensor<4xf64>) -> tensor<1xf64>
    %1 = stablehlo.reshape %0 : (tensor<1xf64>) -> tensor<f64>
    %2 = stablehlo.slice %arg1 [1:2] : (tensor<4xf64>) -> tensor<1xf64>
    %3 = stablehlo.reshape %2 : (tensor<1xf64>) -> tensor<f64>
    %4 = stablehlo.slice %arg1 [2:3] : (tensor<4xf64>) -> tensor<1xf64>
    %5 = stablehlo.reshape %4 : (tensor<1xf64>) -> tensor<f64>
    %6 = stablehlo.slice %arg1 [3:4] : (tensor<4xf64>) -> tensor<1xf64>
    %7 = stablehlo.reshape %6 : (tensor<1xf64>) -> tensor<f64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<12x2xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %9:7 = stablehlo.while(%iterArg = %3, %iterArg_0 = %1, %iterArg_1 = %5, %iterArg_2 = %7, %iterArg_3 = %c, %iterArg_4 = %arg0, %iterArg_5 = %8) : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i64>, tensor<2xf64>, tensor<12x2xf64>
    cond {
      %c_6 = stablehlo.constant dense<12> : tensor<i64>
      %10 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:2 = func.call @closed_call(%iterArg, %iterArg_0, %iterArg_1, %iterArg_2, %iterArg_4) : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
      %11 = func.call @dynamic_update_index_in_dim(%iterArg_5, %10#1, %iterArg_3) : (tensor<12x2xf64>, tensor<2xf64>, tensor<i64>) -> tensor<12x2xf64>
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %12 = stablehlo.add %iterArg_3, %c_6 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %iterArg_2, %12, %10#0, %11 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i64>, tensor<2xf64>, tensor<12x2xf64>
    }
    return %9#6 : tensor<12x2xf64>
  }
  func.func private @closed_call(%arg0: tensor<f64>, %arg1: tensor<f64>, %arg2: tensor<f64>, %arg3: tensor<f64>, %arg4: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
    %0 = stablehlo.slice %arg4 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %1 = stablehlo.reshape %0 : (tensor<1xf64>) -> tensor<f64>
    %2 = stablehlo.slice %arg4 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %3 = stablehlo.reshape %2 : (tensor<1xf64>) -> tensor<f64>
    %4 = stablehlo.multiply %arg0, %3 : tensor<f64>
    %5 = stablehlo.subtract %arg1, %4 : tensor<f64>
    %6 = stablehlo.multiply %1, %5 : tensor<f64>
    %7 = stablehlo.slice %arg4 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %8 = stablehlo.reshape %7 : (tensor<1xf64>) -> tensor<f64>
    %9 = stablehlo.slice %arg4 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %10 = stablehlo.reshape %9 : (tensor<1xf64>) -> tensor<f64>
    %11 = stablehlo.multiply %arg2, %10 : tensor<f64>
    %12 = stablehlo.subtract %11, %arg3 : tensor<f64>
    %13 = stablehlo.multiply %8, %12 : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %15 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %16 = stablehlo.concatenate %14, %15, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %cst = stablehlo.constant dense<5.000000e-02> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %18 = stablehlo.multiply %17, %16 : tensor<2xf64>
    %19 = stablehlo.add %arg4, %18 : tensor<2xf64>
    %20 = stablehlo.slice %19 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %21 = stablehlo.reshape %20 : (tensor<1xf64>) -> tensor<f64>
    %22 = stablehlo.slice %19 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %23 = stablehlo.reshape %22 : (tensor<1xf64>) -> tensor<f64>
    %24 = stablehlo.multiply %arg0, %23 : tensor<f64>
    %25 = stablehlo.subtract %arg1, %24 : tensor<f64>
    %26 = stablehlo.multiply %21, %25 : tensor<f64>
    %27 = stablehlo.slice %19 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %28 = stablehlo.reshape %27 : (tensor<1xf64>) -> tensor<f64>
    %29 = stablehlo.slice %19 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %30 = stablehlo.reshape %29 : (tensor<1xf64>) -> tensor<f64>
    %31 = stablehlo.multiply %arg2, %30 : tensor<f64>
    %32 = stablehlo.subtract %31, %arg3 : tensor<f64>
    %33 = stablehlo.multiply %28, %32 : tensor<f64>
    %34 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %35 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %36 = stablehlo.concatenate %34, %35, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
    %37 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %38 = stablehlo.multiply %37, %36 : tensor<2xf64>
    %39 = stablehlo.add %arg4, %38 : tensor<2xf64>
    %40 = stablehlo.slice %39 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %41 = stablehlo.reshape %40 : (tensor<1xf64>) -> tensor<f64>
    %42 = stablehlo.slice %39 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %43 = stablehlo.reshape %42 : (tensor<1xf64>) -> tensor<f64>
    %44 = stablehlo.multiply %arg0, %43 : tensor<f64>
    %45 = stablehlo.subtract %arg1, %44 : tensor<f64>
    %46 = stablehlo.multiply %41, %45 : tensor<f64>
    %47 = stablehlo.slice %39 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %48 = stablehlo.reshape %47 : (tensor<1xf64>) -> tensor<f64>
    %49 = stablehlo.slice %39 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %50 = stablehlo.reshape %49 : (tensor<1xf64>) -> tensor<f64>
    %51 = stablehlo.multiply %arg2, %50 : tensor<f64>
    %52 = stablehlo.subtract %51, %arg3 : tensor<f64>
    %53 = stablehlo.multiply %48, %52 : tensor<f64>
    %54 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %55 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %56 = stablehlo.concatenate %54, %55, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %57 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %58 = stablehlo.multiply %57, %56 : tensor<2xf64>
    %59 = stablehlo.add %arg4, %58 : tensor<2xf64>
    %60 = stablehlo.slice %59 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %61 = stablehlo.reshape %60 : (tensor<1xf64>) -> tensor<f64>
    %62 = stablehlo.slice %59 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %63 = stablehlo.reshape %62 : (tensor<1xf64>) -> tensor<f64>
    %64 = stablehlo.multiply %arg0, %63 : tensor<f64>
    %65 = stablehlo.subtract %arg1, %64 : tensor<f64>
    %66 = stablehlo.multiply %61, %65 : tensor<f64>
    %67 = stablehlo.slice %59 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %68 = stablehlo.reshape %67 : (tensor<1xf64>) -> tensor<f64>
    %69 = stablehlo.slice %59 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %70 = stablehlo.reshape %69 : (tensor<1xf64>) -> tensor<f64>
    %71 = stablehlo.multiply %arg2, %70 : tensor<f64>
    %72 = stablehlo.subtract %71, %arg3 : tensor<f64>
    %73 = stablehlo.multiply %68, %72 : tensor<f64>
    %74 = stablehlo.broadcast_in_dim %66, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %75 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %76 = stablehlo.concatenate %74, %75, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %77 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %78 = stablehlo.multiply %77, %36 : tensor<2xf64>
    %79 = stablehlo.add %16, %78 : tensor<2xf64>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %80 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %81 = stablehlo.multiply %80, %56 : tensor<2xf64>
    %82 = stablehlo.add %79, %81 : tensor<2xf64>
    %83 = stablehlo.add %82, %76 : tensor<2xf64>
    %cst_4 = stablehlo.constant dense<0.016666666666666666> : tensor<f64>
    %84 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %85 = stablehlo.multiply %84, %83 : tensor<2xf64>
    %86 = stablehlo.add %arg4, %85 : tensor<2xf64>
    return %86, %86 : tensor<2xf64>, tensor<2xf64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<12x2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<i64>) -> tensor<12x2xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf64>) -> tensor<1x2xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<12x2xf64>, tensor<1x2xf64>, tensor<i64>, tensor<i64>) -> tensor<12x2xf64>
    return %1 : tensor<12x2xf64>
  }
}
