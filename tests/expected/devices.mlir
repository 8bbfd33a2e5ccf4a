// Exchanges between devices whose results can be computed by hand.

// A reduction whose operands do not commute: functions x -> re * x + im as complex numbers, composed in the order of the groups,
// which have two members and one.
module @order_of_groups_of_other_sizes {
  func.func @compose(%f: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
    %0 = "stablehlo.all_reduce"(%f) ({
    ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
      %ar = stablehlo.real %a : (tensor<complex<f32>>) -> tensor<f32>
      %ai = stablehlo.imag %a : (tensor<complex<f32>>) -> tensor<f32>
      %br = stablehlo.real %b : (tensor<complex<f32>>) -> tensor<f32>
      %bi = stablehlo.imag %b : (tensor<complex<f32>>) -> tensor<f32>
      %r = stablehlo.multiply %ar, %br : tensor<f32>
      %m = stablehlo.multiply %ar, %bi : tensor<f32>
      %i = stablehlo.add %m, %ai : tensor<f32>
      %c = stablehlo.complex %r, %i : tensor<complex<f32>>
      stablehlo.return %c : tensor<complex<f32>>
    }) {replica_groups = dense<[[2, 0], [1, -1]]> : tensor<2x2xi64>} : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    return %0 : tensor<2xcomplex<f32>>
  }
  func.func @main() {
    %0 = stablehlo.constant dense<[(2.0, 1.0), (1.0, 0.0)]> : tensor<2xcomplex<f32>>
    %1 = stablehlo.constant dense<[(5.0, 6.0), (7.0, 8.0)]> : tensor<2xcomplex<f32>>
    %2 = stablehlo.constant dense<[(3.0, 4.0), (0.0, 9.0)]> : tensor<2xcomplex<f32>>
    %r:3 = "interpreter.run_parallel"(%0, %1, %2) {programs = [[@compose], [@compose], [@compose]]}
      : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)
    check.expect_eq_const %r#0, dense<[(6.0, 7.0), (0.0, 9.0)]> : tensor<2xcomplex<f32>>
    check.expect_eq_const %r#1, dense<[(5.0, 6.0), (7.0, 8.0)]> : tensor<2xcomplex<f32>>
    check.expect_eq_const %r#2, dense<[(6.0, 7.0), (0.0, 9.0)]> : tensor<2xcomplex<f32>>
    func.return
  }
}

// -----

// The later member wins, in the order of the group: 1 before 0.
module @last_of_three_kinds {
  func.func @last(%x: tensor<1xi8>, %y: tensor<3xi1>, %z: tensor<2xbf16>) -> (tensor<1xi8>, tensor<3xi1>, tensor<2xbf16>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>):
      stablehlo.return %b : tensor<i8>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<1xi8>) -> tensor<1xi8>
    %1 = "stablehlo.all_reduce"(%y) ({
    ^bb0(%a: tensor<i1>, %b: tensor<i1>):
      %n = stablehlo.not %a : tensor<i1>
      %s = stablehlo.and %n, %b : tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<3xi1>) -> tensor<3xi1>
    %2 = "stablehlo.all_reduce"(%z) ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %s = stablehlo.subtract %a, %b : tensor<bf16>
      stablehlo.return %s : tensor<bf16>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xbf16>) -> tensor<2xbf16>
    return %0, %1, %2 : tensor<1xi8>, tensor<3xi1>, tensor<2xbf16>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<5> : tensor<1xi8>
    %y0 = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
    %z0 = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xbf16>
    %x1 = stablehlo.constant dense<-7> : tensor<1xi8>
    %y1 = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
    %z1 = stablehlo.constant dense<[256.0, 0.5]> : tensor<2xbf16>
    %r:6 = "interpreter.run_parallel"(%x0, %y0, %z0, %x1, %y1, %z1) {programs = [[@last], [@last]]}
      : (tensor<1xi8>, tensor<3xi1>, tensor<2xbf16>, tensor<1xi8>, tensor<3xi1>, tensor<2xbf16>) -> (tensor<1xi8>, tensor<3xi1>, tensor<2xbf16>, tensor<1xi8>, tensor<3xi1>, tensor<2xbf16>)
    check.expect_eq_const %r#0, dense<5> : tensor<1xi8>
    check.expect_eq_const %r#1, dense<[false, true, false]> : tensor<3xi1>
    check.expect_eq_const %r#2, dense<[255.0, -2.5]> : tensor<2xbf16>
    check.expect_eq_const %r#3, dense<5> : tensor<1xi8>
    check.expect_eq_const %r#4, dense<[false, true, false]> : tensor<3xi1>
    check.expect_eq_const %r#5, dense<[255.0, -2.5]> : tensor<2xbf16>
    func.return
  }
}

// -----

// Sums that round at each step, of f16 (2048 + 1 + 1 is 2048), f8 (16 + 1 is 16) and i4 (which wraps), in order.
module @narrow_sums {
  func.func @sums(%x: tensor<2xf16>, %y: tensor<2xf8E4M3FN>, %z: tensor<3xi4>) -> (tensor<2xf16>, tensor<2xf8E4M3FN>, tensor<3xi4>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f16>, %b: tensor<f16>):
      %s = stablehlo.add %a, %b : tensor<f16>
      stablehlo.return %s : tensor<f16>
    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf16>) -> tensor<2xf16>
    %1 = "stablehlo.all_reduce"(%y) ({
    ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
      %s = stablehlo.add %a, %b : tensor<f8E4M3FN>
      stablehlo.return %s : tensor<f8E4M3FN>
    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf8E4M3FN>) -> tensor<2xf8E4M3FN>
    %2 = "stablehlo.all_reduce"(%z) ({
    ^bb0(%a: tensor<i4>, %b: tensor<i4>):
      %s = stablehlo.add %a, %b : tensor<i4>
      stablehlo.return %s : tensor<i4>
    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<3xi4>) -> tensor<3xi4>
    return %0, %1, %2 : tensor<2xf16>, tensor<2xf8E4M3FN>, tensor<3xi4>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<[2048.0, 1.0]> : tensor<2xf16>
    %y0 = stablehlo.constant dense<[16.0, 0.5]> : tensor<2xf8E4M3FN>
    %z0 = stablehlo.constant dense<[7, -8, 3]> : tensor<3xi4>
    %x1 = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf16>
    %y1 = stablehlo.constant dense<[1.0, 0.25]> : tensor<2xf8E4M3FN>
    %z1 = stablehlo.constant dense<[1, -1, 3]> : tensor<3xi4>
    %x2 = stablehlo.constant dense<[1.0, 2048.0]> : tensor<2xf16>
    %y2 = stablehlo.constant dense<[1.0, 0.125]> : tensor<2xf8E4M3FN>
    %z2 = stablehlo.constant dense<[2, 0, -7]> : tensor<3xi4>
    %r:9 = "interpreter.run_parallel"(%x0, %y0, %z0, %x1, %y1, %z1, %x2, %y2, %z2) {programs = [[@sums], [@sums], [@sums]]}
      : (tensor<2xf16>, tensor<2xf8E4M3FN>, tensor<3xi4>, tensor<2xf16>, tensor<2xf8E4M3FN>, tensor<3xi4>, tensor<2xf16>, tensor<2xf8E4M3FN>, tensor<3xi4>)
      -> (tensor<2xf16>, tensor<2xf8E4M3FN>, tensor<3xi4>, tensor<2xf16>, tensor<2xf8E4M3FN>, tensor<3xi4>, tensor<2xf16>, tensor<2xf8E4M3FN>, tensor<3xi4>)
    check.expect_eq_const %r#0, dense<[2048.0, 2050.0]> : tensor<2xf16>
    check.expect_eq_const %r#1, dense<[16.0, 0.875]> : tensor<2xf8E4M3FN>
    check.expect_eq_const %r#2, dense<[-6, 7, -1]> : tensor<3xi4>
    check.expect_eq_const %r#6, dense<[2048.0, 2050.0]> : tensor<2xf16>
    check.expect_eq_const %r#7, dense<[16.0, 0.875]> : tensor<2xf8E4M3FN>
    check.expect_eq_const %r#8, dense<[-6, 7, -1]> : tensor<3xi4>
    func.return
  }
}

// -----

// Arrays without elements, and several operands of one exchange.
module @empty_and_several {
  func.func @gather(%x: tensor<2x0xf32>, %y: tensor<1x1xi64>) -> (tensor<4x0xf32>, tensor<2x1xi64>, tensor<2x0xf32>) {
    %0:2 = "stablehlo.all_gather"(%x, %y) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
      : (tensor<2x0xf32>, tensor<1x1xi64>) -> (tensor<4x0xf32>, tensor<2x1xi64>)
    %1 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2x0xf32>) -> tensor<2x0xf32>
    return %0#0, %0#1, %1 : tensor<4x0xf32>, tensor<2x1xi64>, tensor<2x0xf32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<> : tensor<2x0xf32>
    %y0 = stablehlo.constant dense<11> : tensor<1x1xi64>
    %y1 = stablehlo.constant dense<22> : tensor<1x1xi64>
    %r:6 = "interpreter.run_parallel"(%x, %y0, %x, %y1) {programs = [[@gather], [@gather]]}
      : (tensor<2x0xf32>, tensor<1x1xi64>, tensor<2x0xf32>, tensor<1x1xi64>) -> (tensor<4x0xf32>, tensor<2x1xi64>, tensor<2x0xf32>, tensor<4x0xf32>, tensor<2x1xi64>, tensor<2x0xf32>)
    check.expect_eq_const %r#1, dense<[[22], [11]]> : tensor<2x1xi64>
    check.expect_eq_const %r#4, dense<[[22], [11]]> : tensor<2x1xi64>
    func.return
  }
}

// -----

// Groups along an axis of a mesh with devices in another order, and the older sum.
module @mesh_and_sum {
  sdy.mesh @grid = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  func.func @sums(%x: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<1xi32>) -> tensor<1xi32>
    %1 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi32>) -> tensor<1xi32>
    return %0, %1 : tensor<1xi32>, tensor<1xi32>
  }
  func.func @main() {
    %0 = stablehlo.constant dense<1> : tensor<1xi32>
    %1 = stablehlo.constant dense<10> : tensor<1xi32>
    %2 = stablehlo.constant dense<100> : tensor<1xi32>
    %3 = stablehlo.constant dense<1000> : tensor<1xi32>
    %r:8 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@sums, @sums], [@sums, @sums]]}
      : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
    check.expect_eq_const %r#0, dense<101> : tensor<1xi32>
    check.expect_eq_const %r#2, dense<1010> : tensor<1xi32>
    check.expect_eq_const %r#4, dense<101> : tensor<1xi32>
    check.expect_eq_const %r#6, dense<1010> : tensor<1xi32>
    check.expect_eq_const %r#1, dense<101> : tensor<1xi32>
    check.expect_eq_const %r#3, dense<1010> : tensor<1xi32>
    func.return
  }
}

// -----

// Groups along the outer and the inner factor of an axis.
module @parts_of_an_axis {
  sdy.mesh @grid = <["x"=4]>
  func.func @sums(%x: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>} : (tensor<1xi32>) -> tensor<1xi32>
    %1 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>]>} : (tensor<1xi32>) -> tensor<1xi32>
    return %0, %1 : tensor<1xi32>, tensor<1xi32>
  }
  func.func @main() {
    %0 = stablehlo.constant dense<1> : tensor<1xi32>
    %1 = stablehlo.constant dense<10> : tensor<1xi32>
    %2 = stablehlo.constant dense<100> : tensor<1xi32>
    %3 = stablehlo.constant dense<1000> : tensor<1xi32>
    %r:8 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@sums, @sums, @sums, @sums]]}
      : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
    check.expect_eq_const %r#0, dense<101> : tensor<1xi32>
    check.expect_eq_const %r#2, dense<1010> : tensor<1xi32>
    check.expect_eq_const %r#4, dense<101> : tensor<1xi32>
    check.expect_eq_const %r#6, dense<1010> : tensor<1xi32>
    check.expect_eq_const %r#1, dense<11> : tensor<1xi32>
    check.expect_eq_const %r#3, dense<11> : tensor<1xi32>
    check.expect_eq_const %r#5, dense<1100> : tensor<1xi32>
    check.expect_eq_const %r#7, dense<1100> : tensor<1xi32>
    func.return
  }
}

// -----

// A collective and a slice that are begun and awaited.
module @asynchronous {
  func.func @main() {
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %1 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %r:2 = "interpreter.run_parallel"(%0, %1) {programs = [[@swap], [@swap]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[-3, -4]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[-1, -2]> : tensor<2xi32>
    func.return
  }
  func.func @swap(%x: tensor<2xi32>) -> tensor<2xi32> {
    %n = stablehlo.negate %x : tensor<2xi32>
    %f = "stablehlo.async_start"(%n) ({
    ^bb0(%a: tensor<2xi32>):
      %p = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
      stablehlo.return %p : tensor<2xi32>
    }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
    %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}

// -----

// A body on parts of the values of a mesh whose devices are in another order: rows along one axis, columns along the other, each
// device adds its number; the result is whole on every device.
module @parts_of_values {
  sdy.mesh @grid = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
  func.func @mark(%x: tensor<2x4xi32>) -> tensor<4x2xi32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@grid, [{"x"}, {"y"}]>] out_shardings=[<@grid, [{"y"}, {"x"}]>] manual_axes={"x", "y"} (%a: tensor<1x2xi32>) {
      %id = stablehlo.partition_id : tensor<ui32>
      %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
      %b = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<1x2xi32>
      %s = stablehlo.add %a, %b : tensor<1x2xi32>
      %t = stablehlo.transpose %s, dims = [1, 0] : (tensor<1x2xi32>) -> tensor<2x1xi32>
      sdy.return %t : tensor<2x1xi32>
    } : (tensor<2x4xi32>) -> tensor<4x2xi32>
    return %0 : tensor<4x2xi32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[[10, 20, 30, 40], [50, 60, 70, 80]]> : tensor<2x4xi32>
    %r:4 = "interpreter.run_parallel"(%x, %x, %x, %x) {programs = [[@mark, @mark, @mark, @mark]]}
      : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi32>)
    check.expect_eq_const %r#0, dense<[[13, 52], [23, 62], [31, 70], [41, 80]]> : tensor<4x2xi32>
    check.expect_eq_const %r#3, dense<[[13, 52], [23, 62], [31, 70], [41, 80]]> : tensor<4x2xi32>
    func.return
  }
}

// -----

// Both axes along one dimension, the inner one first, in and a sum over all out; a nested body along the other axis.
module @several_axes_and_nested_bodies {
  sdy.mesh @grid = <["x"=2, "y"=3]>
  func.func @sums(%x: tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@grid, [{"y", "x"}]>] out_shardings=[<@grid, [{"x", "y"}]>] manual_axes={"x", "y"} (%a: tensor<1xi32>) {
      sdy.return %a : tensor<1xi32>
    } : (tensor<6xi32>) -> tensor<6xi32>
    %1 = sdy.manual_computation(%x) in_shardings=[<@grid, [{"x"}]>] out_shardings=[<@grid, [{"x"}]>] manual_axes={"x"} (%a: tensor<3xi32>) {
      %2 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"y"}]>] out_shardings=[<@grid, [{"y"}]>] manual_axes={"y"} (%b: tensor<1xi32>) {
        %3 = "stablehlo.all_reduce"(%b) ({
        ^bb0(%c: tensor<i32>, %d: tensor<i32>):
          %s = stablehlo.add %c, %d : tensor<i32>
          stablehlo.return %s : tensor<i32>
        }) {replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<1xi32>) -> tensor<1xi32>
        sdy.return %3 : tensor<1xi32>
      } : (tensor<3xi32>) -> tensor<3xi32>
      sdy.return %2 : tensor<3xi32>
    } : (tensor<6xi32>) -> tensor<6xi32>
    return %0, %1 : tensor<6xi32>, tensor<6xi32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
    %r:12 = "interpreter.run_parallel"(%x, %x, %x, %x, %x, %x) {programs = [[@sums, @sums, @sums, @sums, @sums, @sums]]}
      : (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>)
      -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>)
    check.expect_eq_const %r#0, dense<[1, 3, 5, 2, 4, 6]> : tensor<6xi32>
    check.expect_eq_const %r#1, dense<[6, 6, 6, 15, 15, 15]> : tensor<6xi32>
    check.expect_eq_const %r#10, dense<[1, 3, 5, 2, 4, 6]> : tensor<6xi32>
    check.expect_eq_const %r#11, dense<[6, 6, 6, 15, 15, 15]> : tensor<6xi32>
    func.return
  }
}

// -----

// Messages between devices, in order.
module @messages {
  func.func @shift(%x: tensor<2xi32>, %y: tensor<0xf32>) -> (tensor<2xi32>, tensor<2xi32>) {
    %t = stablehlo.create_token : !stablehlo.token
    %n = stablehlo.negate %x : tensor<2xi32>
    %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    %1 = "stablehlo.send"(%n, %0) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    %2:2 = "stablehlo.recv"(%1) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %3:2 = "stablehlo.recv"(%2#1) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    return %2#0, %3#0 : tensor<2xi32>, tensor<2xi32>
  }
  func.func @main() {
    %e = stablehlo.constant dense<> : tensor<0xf32>
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %1 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %2 = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
    %r:6 = "interpreter.run_parallel"(%0, %e, %1, %e, %2, %e) {programs = [[@shift, @shift, @shift]]}
      : (tensor<2xi32>, tensor<0xf32>, tensor<2xi32>, tensor<0xf32>, tensor<2xi32>, tensor<0xf32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[5, 6]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[-5, -6]> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<[1, 2]> : tensor<2xi32>
    check.expect_eq_const %r#5, dense<[-3, -4]> : tensor<2xi32>
    func.return
  }
}

// -----

// A reduction for the first member of each group, which have two members and one.
module @for_one {
  func.func @reduce(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.collective_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[2, 0], [1, -1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main() {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %2 = stablehlo.constant dense<[50.0, 60.0]> : tensor<2xf32>
    %r:3 = "interpreter.run_parallel"(%0, %1, %2) {programs = [[@reduce], [@reduce], [@reduce]]} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    check.expect_eq_const %r#0, dense<[0.0, 0.0]> : tensor<2xf32>
    check.expect_eq_const %r#1, dense<[3.0, 4.0]> : tensor<2xf32>
    check.expect_eq_const %r#2, dense<[49.0, 58.0]> : tensor<2xf32>
    func.return
  }
}

// -----

// Roots that are known at run time only, one for each operand: positions in the group.
module @roots {
  func.func @from(%x: tensor<2xf32>, %y: tensor<0xi8>, %root: tensor<2xi32>) -> (tensor<2xf32>, tensor<0xi8>, tensor<2xf32>) {
    %0:2 = "stablehlo.collective_broadcast"(%x, %y, %root) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<0xi8>, tensor<2xi32>) -> (tensor<2xf32>, tensor<0xi8>)
    %last = stablehlo.slice %root [1:2] : (tensor<2xi32>) -> tensor<1xi32>
    %1 = "stablehlo.collective_reduce"(%x, %last) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.divide %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
    return %0#0, %0#1, %1 : tensor<2xf32>, tensor<0xi8>, tensor<2xf32>
  }
  func.func @main() {
    %e = stablehlo.constant dense<> : tensor<0xi8>
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[3.0, 5.0]> : tensor<2xf32>
    %root = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
    %r:6 = "interpreter.run_parallel"(%0, %e, %root, %1, %e, %root) {programs = [[@from], [@from]]}
      : (tensor<2xf32>, tensor<0xi8>, tensor<2xi32>, tensor<2xf32>, tensor<0xi8>, tensor<2xi32>) -> (tensor<2xf32>, tensor<0xi8>, tensor<2xf32>, tensor<2xf32>, tensor<0xi8>, tensor<2xf32>)
    check.expect_eq_const %r#0, dense<[3.0, 5.0]> : tensor<2xf32>
    check.expect_eq_const %r#2, dense<[3.0, 2.5]> : tensor<2xf32>
    check.expect_eq_const %r#3, dense<[3.0, 5.0]> : tensor<2xf32>
    check.expect_eq_const %r#5, dense<[0.0, 0.0]> : tensor<2xf32>
    func.return
  }
}
