module {
  func.func public @main() {
    %cst = stablehlo.constant dense<[[-1.50678241, 0.0407690443, -0.111654878], [-0.928203463, -1.74927723, 0.646946489], [-0.805144309, -1.19743013, -1.35738194], [0.782679438, -0.855632067, -0.44678992], [0.00441116467, 0.705851793, 0.114538081], [1.91958439, 1.28152907, 0.825947105], [0.301312208, 7.475120e-01, -0.0780126452], [1.13651729, -1.02081203, -0.0207432974], [1.2487272, 0.496231467, -1.51528311], [1.54843748, -1.01184487, -0.82517457], [0.145240366, 1.33383203, 1.7839247], [1.33216739, -1.14329386, -0.989589691], [-1.06998146, -0.916786849, -0.876815199], [0.42726025, -1.06939542, -1.98949778], [-1.92952561, 1.72432542, 0.496080905], [0.00255717523, -0.765865683, 0.824608147], [1.67568791, 0.190538198, 0.117080264], [-1.25467944, -0.557982922, -0.19110547], [-1.95941615, 1.28567326, -1.26141942]]> : tensor<19x3xf32>
    %0 = stablehlo.iota dim = 0 : tensor<19x3xi32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<19x3xf32>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<19x3xf32>
    %1 = stablehlo.subtract %cst, %cst_0 : tensor<19x3xf32>
    %2 = stablehlo.subtract %cst, %cst : tensor<19x3xf32>
    %3 = stablehlo.compare GT, %cst, %2 : (tensor<19x3xf32>, tensor<19x3xf32>) -> tensor<19x3xi1>
    %4 = stablehlo.select %3, %cst, %cst_1 : tensor<19x3xi1>, tensor<19x3xf32>
    %5 = stablehlo.convert %cst : (tensor<19x3xf32>) -> tensor<19x3xi32>
    %6 = stablehlo.cosine %cst : tensor<19x3xf32>
    %c = stablehlo.constant dense<10> : tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %7:2 = stablehlo.reduce(%5 init: %c), (%5 init: %c_2) across dimensions = [0] : (tensor<19x3xi32>, tensor<19x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
     reducer(%arg0: tensor<i32>, %arg2: tensor<i32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %15 = stablehlo.add %arg0, %arg2 : tensor<i32>
      %16 = stablehlo.multiply %arg1, %arg3 : tensor<i32>
      stablehlo.return %15, %16 : tensor<i32>, tensor<i32>
    }
    %cst_3 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %c_4 = stablehlo.constant dense<4> : tensor<i32>
    %8:2 = stablehlo.reduce(%cst init: %cst_3), (%5 init: %c_4) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %15 = stablehlo.add %arg0, %arg2 : tensor<f32>
      %16 = stablehlo.maximum %arg1, %arg3 : tensor<i32>
      stablehlo.return %15, %16 : tensor<f32>, tensor<i32>
    }
    %cst_5 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %c_6 = stablehlo.constant dense<3> : tensor<i32>
    %9:2 = stablehlo.reduce(%6 init: %cst_5), (%5 init: %c_6) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %15 = stablehlo.compare NE, %arg0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = stablehlo.add %arg0, %arg2 : tensor<f32>
      %17 = stablehlo.select %15, %arg0, %16 : tensor<i1>, tensor<f32>
      %18 = stablehlo.add %arg1, %arg3 : tensor<i32>
      stablehlo.return %17, %18 : tensor<f32>, tensor<i32>
    }
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %c_8 = stablehlo.constant dense<-7> : tensor<i32>
    %10:2 = stablehlo.reduce(%6 init: %cst_7), (%0 init: %c_8) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %15 = stablehlo.compare GT, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = stablehlo.compare NE, %arg0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %17 = stablehlo.or %15, %16 : tensor<i1>
      %18 = stablehlo.compare EQ, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %19 = stablehlo.compare LT, %arg1, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %20 = stablehlo.and %18, %19 : tensor<i1>
      %21 = stablehlo.or %17, %20 : tensor<i1>
      %22 = stablehlo.select %17, %arg0, %arg2 : tensor<i1>, tensor<f32>
      %23 = stablehlo.select %21, %arg1, %arg3 : tensor<i1>, tensor<i32>
      stablehlo.return %22, %23 : tensor<f32>, tensor<i32>
    }
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %11:2 = stablehlo.reduce(%6 init: %cst_9), (%0 init: %c_10) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %15 = stablehlo.compare GT, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = stablehlo.compare NE, %arg0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %17 = stablehlo.or %15, %16 : tensor<i1>
      %18 = stablehlo.compare EQ, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %19 = stablehlo.compare LT, %arg1, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %20 = stablehlo.and %18, %19 : tensor<i1>
      %21 = stablehlo.or %17, %20 : tensor<i1>
      %22 = stablehlo.select %17, %arg0, %arg2 : tensor<i1>, tensor<f32>
      %23 = stablehlo.select %21, %arg1, %arg3 : tensor<i1>, tensor<i32>
      stablehlo.return %22, %23 : tensor<f32>, tensor<i32>
    }
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %12:2 = stablehlo.reduce(%1 init: %cst_11), (%0 init: %c_12) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %15 = stablehlo.compare GT, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = stablehlo.compare NE, %arg0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %17 = stablehlo.or %15, %16 : tensor<i1>
      %18 = stablehlo.compare EQ, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %19 = stablehlo.compare LT, %arg1, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %20 = stablehlo.and %18, %19 : tensor<i1>
      %21 = stablehlo.or %17, %20 : tensor<i1>
      %22 = stablehlo.select %17, %arg0, %arg2 : tensor<i1>, tensor<f32>
      %23 = stablehlo.select %21, %arg1, %arg3 : tensor<i1>, tensor<i32>
      stablehlo.return %22, %23 : tensor<f32>, tensor<i32>
    }
    %cst_13 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c_14 = stablehlo.constant dense<5> : tensor<i32>
    %13:2 = stablehlo.reduce(%6 init: %cst_13), (%0 init: %c_14) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %15 = stablehlo.compare LT, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = stablehlo.compare NE, %arg0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %17 = stablehlo.or %15, %16 : tensor<i1>
      %18 = stablehlo.compare EQ, %arg0, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %19 = stablehlo.compare LT, %arg1, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %20 = stablehlo.and %18, %19 : tensor<i1>
      %21 = stablehlo.or %17, %20 : tensor<i1>
      %22 = stablehlo.select %17, %arg0, %arg2 : tensor<i1>, tensor<f32>
      %23 = stablehlo.select %21, %arg1, %arg3 : tensor<i1>, tensor<i32>
      stablehlo.return %22, %23 : tensor<f32>, tensor<i32>
    }
    %cst_15 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %14:2 = stablehlo.reduce(%4 init: %cst_15), (%0 init: %c_16) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %15 = stablehlo.compare LT, %arg0, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = stablehlo.compare NE, %arg0, %arg0, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %17 = stablehlo.or %15, %16 : tensor<i1>
      %18 = stablehlo.compare EQ, %arg0, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %19 = stablehlo.compare LT, %arg1, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %20 = stablehlo.and %18, %19 : tensor<i1>
      %21 = stablehlo.or %17, %20 : tensor<i1>
      %22 = stablehlo.select %17, %arg0, %arg2 : tensor<i1>, tensor<f32>
      %23 = stablehlo.select %21, %arg1, %arg3 : tensor<i1>, tensor<i32>
      stablehlo.return %22, %23 : tensor<f32>, tensor<i32>
    }
    %c_17 = stablehlo.constant dense<[[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4], [5, 5, 5], [6, 6, 6], [7, 7, 7], [8, 8, 8], [9, 9, 9], [10, 10, 10], [11, 11, 11], [12, 12, 12], [13, 13, 13], [14, 14, 14], [15, 15, 15], [16, 16, 16], [17, 17, 17], [18, 18, 18]]> : tensor<19x3xi32>
    check.expect_eq %0, %c_17 : tensor<19x3xi32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<19x3xf32>
    check.expect_close %1, %cst_18, max_ulp_difference = 16 : tensor<19x3xf32>, tensor<19x3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<19x3xf32>
    check.expect_close %2, %cst_19, max_ulp_difference = 16 : tensor<19x3xf32>, tensor<19x3xf32>
    %c_20 = stablehlo.constant dense<[[false, true, false], [false, false, true], [false, false, false], [true, false, false], [true, true, true], [true, true, true], [true, true, false], [true, false, false], [true, true, false], [true, false, false], [true, true, true], [true, false, false], [false, false, false], [true, false, false], [false, true, true], [true, false, true], [true, true, true], [false, false, false], [false, true, false]]> : tensor<19x3xi1>
    check.expect_eq %3, %c_20 : tensor<19x3xi1>
    %cst_21 = stablehlo.constant dense<[[0x7FC00000, 0.0407690443, 0x7FC00000], [0x7FC00000, 0x7FC00000, 0.646946489], [0x7FC00000, 0x7FC00000, 0x7FC00000], [0.782679438, 0x7FC00000, 0x7FC00000], [0.00441116467, 0.705851793, 0.114538081], [1.91958439, 1.28152907, 0.825947105], [0.301312208, 7.475120e-01, 0x7FC00000], [1.13651729, 0x7FC00000, 0x7FC00000], [1.2487272, 0.496231467, 0x7FC00000], [1.54843748, 0x7FC00000, 0x7FC00000], [0.145240366, 1.33383203, 1.7839247], [1.33216739, 0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000, 0x7FC00000], [0.42726025, 0x7FC00000, 0x7FC00000], [0x7FC00000, 1.72432542, 0.496080905], [0.00255717523, 0x7FC00000, 0.824608147], [1.67568791, 0.190538198, 0.117080264], [0x7FC00000, 0x7FC00000, 0x7FC00000], [0x7FC00000, 1.28567326, 0x7FC00000]]> : tensor<19x3xf32>
    check.expect_close %4, %cst_21, max_ulp_difference = 16 : tensor<19x3xf32>, tensor<19x3xf32>
    %c_22 = stablehlo.constant dense<[[-1, 0, 0], [0, -1, 0], [0, -1, -1], [0, 0, 0], [0, 0, 0], [1, 1, 0], [0, 0, 0], [1, -1, 0], [1, 0, -1], [1, -1, 0], [0, 1, 1], [1, -1, 0], [-1, 0, 0], [0, -1, -1], [-1, 1, 0], [0, 0, 0], [1, 0, 0], [-1, 0, 0], [-1, 1, -1]]> : tensor<19x3xi32>
    check.expect_eq %5, %c_22 : tensor<19x3xi32>
    %cst_23 = stablehlo.constant dense<[[6.397020e-02, 0.999169051, 0.993773043], [0.599273145, -0.177534819, 0.797928035], [0.693007231, 0.364751756, 0.211798057], [0.709026575, 0.655741453, 0.901838719], [0.999990284, 0.761059284, 0.993447661], [-0.341759086, 2.852500e-01, 6.778610e-01], [0.954947888, 0.733382523, 0.996958553], [0.420756489, 0.522673845, 0.999784886], [0.316529959, 8.793830e-01, 0.0554847121], [0.022356987, 0.530297518, 0.678428709], [0.989471137, 0.234752849, -0.211518526], [0.236370638, 0.414599329, 0.549032867], [0.480140507, 0.608373404, 0.639602542], [0.910104453, 0.480654478, -0.406574428], [-0.351084679, -0.152926654, 0.879454731], [0.999996721, 0.720782577, 0.678844749], [-0.104699351, 0.98190242, 0.993153929], [0.310878217, 0.848324835, 0.981794834], [-0.378911525, 0.281275541, 0.304465175]]> : tensor<19x3xf32>
    check.expect_close %6, %cst_23, max_ulp_difference = 16 : tensor<19x3xf32>, tensor<19x3xf32>
    %c_24 = stablehlo.constant dense<[11, 8, 7]> : tensor<3xi32>
    check.expect_eq %7#0, %c_24 : tensor<3xi32>
    %c_25 = stablehlo.constant dense<0> : tensor<3xi32>
    check.expect_eq %7#1, %c_25 : tensor<3xi32>
    %cst_26 = stablehlo.constant dense<[3.57084966, 0.0179412365, -2.35434246]> : tensor<3xf32>
    check.expect_close %8#0, %cst_26, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    %c_27 = stablehlo.constant dense<4> : tensor<3xi32>
    check.expect_eq %8#1, %c_27 : tensor<3xi32>
    %cst_28 = stablehlo.constant dense<[17.5303669, 19.9719124, 21.7155571]> : tensor<3xf32>
    check.expect_close %9#0, %cst_28, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    %c_29 = stablehlo.constant dense<[4, 1, 0]> : tensor<3xi32>
    check.expect_eq %9#1, %c_29 : tensor<3xi32>
    %cst_30 = stablehlo.constant dense<[0.999996721, 0.999169051, 0.999784886]> : tensor<3xf32>
    check.expect_close %10#0, %cst_30, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    %c_31 = stablehlo.constant dense<[15, 0, 7]> : tensor<3xi32>
    check.expect_eq %10#1, %c_31 : tensor<3xi32>
    %cst_32 = stablehlo.constant dense<[0.999996721, 0.999169051, 0.999784886]> : tensor<3xf32>
    check.expect_close %11#0, %cst_32, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    %c_33 = stablehlo.constant dense<[15, 0, 7]> : tensor<3xi32>
    check.expect_eq %11#1, %c_33 : tensor<3xi32>
    %cst_34 = stablehlo.constant dense<0xFF800000> : tensor<3xf32>
    check.expect_close %12#0, %cst_34, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    %c_35 = stablehlo.constant dense<0> : tensor<3xi32>
    check.expect_eq %12#1, %c_35 : tensor<3xi32>
    %cst_36 = stablehlo.constant dense<0x7FC00000> : tensor<3xf32>
    check.expect_close %13#0, %cst_36, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    %c_37 = stablehlo.constant dense<5> : tensor<3xi32>
    check.expect_eq %13#1, %c_37 : tensor<3xi32>
    %cst_38 = stablehlo.constant dense<[0.00255717523, 0.0407690443, 0.114538081]> : tensor<3xf32>
    check.expect_close %14#0, %cst_38, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    %c_39 = stablehlo.constant dense<[15, 0, 4]> : tensor<3xi32>
    check.expect_eq %14#1, %c_39 : tensor<3xi32>
    return
  }
}
