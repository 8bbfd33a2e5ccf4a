module @jit_transformer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5xi32>) -> (tensor<2x5x6xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[-0.137965202, 1.01371956, 1.35214138, 0.653788567, 1.497118, 2.899580e-01], [0.55126667, 0.17873764, -1.07385826, -0.846629142, 0.379584312, -0.580195427], [1.27155113, 1.29238701, 1.79878616, -0.0260734558, 1.38370991, -0.905842781], [-0.816314697, 0.0813026428, 0.281431198, -1.59898853, -1.73072433, 0.355078697], [-0.862188339, 1.20835686, 0.394546509, 0.307184219, 0.208442688, 0.895475388], [-0.153046608, 1.08563137, -0.525914192, -0.22499752, -0.680504799, 5.976620e-01], [0.0358839035, -0.862267494, 2.00187969, -0.363714218, -0.116299629, 0.394165039], [1.7476511, -0.148384094, 0.703183174, 0.0987949371, -1.46379375, 0.791976929], [1.02063942, -0.23998642, -0.0154361725, -1.50131607, -1.52295208, -0.391519547], [0.625933647, -0.469574928, 0.292022705, 0.967767715, 0.0957622528, 0.574468613], [1.44787312, -1.24602795, 0.744074821, -1.88468456, 0.431642532, 0.202994347]]> : tensor<11x6xf32>
    %cst_0 = stablehlo.constant dense<[[-0.163000107, -0.32319355, -0.0185489655, -0.123071671, 0.0292863846, -0.272340775], [0.163658142, -0.310754776, -0.0912704467, -0.117596626, 0.380366325, -0.448708534], [-0.124207497, 0.354738235, -0.197502136, -0.371841431, 0.0848522186, -0.0870094299], [0.250426292, -0.276117325, 0.0572757721, 0.199838638, 0.310716629, -0.331843376], [0.427136421, -0.270209312, -0.453764915, -0.286371231, 0.0464544296, -0.0965356826]]> : tensor<5x6xf32>
    %cst_1 = stablehlo.constant dense<[1.05071926, 1.22449684, 1.02862263, 1.0421896, 1.11223507, 0.896533966]> : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<[0.00377559662, -0.0461130142, -0.0540847778, 0.0815925598, 0.156698227, 0.0582733154]> : tensor<6xf32>
    %cst_3 = stablehlo.constant dense<"0x4033823E8080923EC0163C3E807A16BED80F863F48C4A3BF782B80BF60D695BEF08539BF90E2BCBF6006EBBEE07BDDBE28F3B4BF20D5FD3ED002403F906E363F604496BE008AAE3D60A825BF0018F43DE049C7BE8053723E80C44ABE80CA183F2059F43E401E373FF0436DBF707886BF40496F3E409CAABE00336B3E40B3303E8016D53D00DE073FA089A43E20A88B3EB01B04BF90E87E3F80B5953DB09F233F405D413E409D3B3F008BB53D40A7003E00F4A23DE07CD1BE0017A9BE00C1ADBD00528ABD703E11BFF826AE3F500C11BF80E834BE70B5B43F8001C3BE006AE23E005CC33E80F7F5BDB03253BF208A65BF00C895BB00CA783EC8569FBF00BBB43D605CC1BE1050043F8088D03DE0E7ECBE80657ABE0052E53C5081473F5078E13F80A0583E80BF993D20AED23E0034D93C4001D23E00A78A3E00D24E3DC0D5D0BE00A2133E50F7123F0089C63D10AD6D3FA052193F0052A4BCC0AA873F40AC17BF60D73B3FF0A7903F8071B2BD00A0883A604D1A3FF080633F806BA33E40EB513EF0CB183F80975F3ED00921BF003123BD0071763DD0104CBF204E993EA038B8BEA0A0FE3EF0A24ABF60A3EABE200246BF"> : tensor<6x18xf32>
    %cst_4 = stablehlo.constant dense<[0.0701112747, 0.0695886612, 0.0793104172, 0.0796613693, 0.0510978699, 0.0506000519, -0.0790491104, 0.0223312378, -0.0191087723, -0.0101642609, -0.0555210114, 0.0715856552, 0.0138568878, -0.0683917999, 0.0312957764, 0.00154972076, -0.0472736359, -0.0107316971]> : tensor<18xf32>
    %cst_5 = stablehlo.constant dense<[[-0.404477119, -1.28896427, -0.850772857, 0.315320015, 0.21532917, 0.167188644], [-0.673628807, -0.343235016, 0.0379247665, 0.39872551, -0.486713409, -0.611962318], [0.658065796, 3.842640e-02, -0.219928741, -0.4273386, -0.379680634, 0.914872169], [0.559671402, -0.241199493, -0.723925591, 0.96618843, 0.906582832, 0.695213318], [0.485866547, -1.08951283, -0.745428085, 0.32616806, -0.164495468, 0.147493362], [-0.303367615, -0.379324913, 0.319471359, -0.231336594, -0.00158786774, 0.147439957]]> : tensor<6x6xf32>
    %cst_6 = stablehlo.constant dense<[0.0115823746, 5.793190e-02, 0.0684137344, -0.0684223175, -0.0134735107, -0.0324411392]> : tensor<6xf32>
    %cst_7 = stablehlo.constant dense<[0.873407364, 0.859059333, 0.992282867, 1.08727646, 0.914124488, 8.630810e-01]> : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<[-0.0791683197, 0.00389671326, 0.0619363785, -7.852650e-02, -0.0218048096, -0.0178508759]> : tensor<6xf32>
    %cst_9 = stablehlo.constant dense<[[0.434910774, -0.617922783, 0.446419716, 0.403204918, 0.332360268, -0.5635252, -0.125681877], [-0.625468254, 0.227421761, 0.54968071, -0.879845619, -0.479193687, -0.0961313247, -0.308444977], [0.860272407, -0.0856599808, 0.144115448, -0.643563271, 0.889224052, 0.0940217971, 0.44520092], [0.0485706329, -1.22600079, -0.924129486, -0.745167732, 0.270627022, -0.295705795, 0.246146202], [0.164416313, 0.14287281, 0.529515266, 0.104233742, -0.948966979, -0.393100739, 0.957978248], [-0.619880676, 0.78635025, 0.954024314, -0.343584061, 0.198752403, -0.80966854, 0.445876122]]> : tensor<6x7xf32>
    %cst_10 = stablehlo.constant dense<[-0.0388917923, -0.0655221939, -0.0196523666, -0.0228691101, -0.0292663574, 0.00981330871, -0.00844955444]> : tensor<7xf32>
    %cst_11 = stablehlo.constant dense<[[-0.354644775, 0.507154465, 1.29435349, 0.0347671509, -0.376519203, -0.530660629], [0.315345764, -0.137133598, 0.00804805755, -1.06621647, -0.605113983, -0.621247292], [0.504411697, -0.144505501, -1.32857227, 0.257584572, 0.605345726, 0.697108269], [-1.49764252, 0.0816431046, 0.433602333, 0.323729515, -0.126150131, -0.962856292], [-0.231773376, -0.172899246, 0.306747437, 0.341947556, -0.129705429, 0.452794075], [-0.564786911, -0.36488533, -0.0165967941, 0.30659771, -0.172197342, 0.657808304], [0.219638824, -0.507339478, 0.0457487106, -0.474390984, -0.514512062, -0.762975693]]> : tensor<7x6xf32>
    %cst_12 = stablehlo.constant dense<[0.0698785782, 0.0454702377, -0.0800285339, 0.0556459427, 0.0480480194, -0.0181674957]> : tensor<6xf32>
    %cst_13 = stablehlo.constant dense<[1.0217247, 0.965058326, 1.06297112, 0.99018383, 0.985110282, 0.995366096]> : tensor<6xf32>
    %cst_14 = stablehlo.constant dense<[-0.0431776047, -0.0392198563, 0.053401947, -0.0198698044, -0.00862789154, 0.0886821746]> : tensor<6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x5xi32>
    %1 = stablehlo.compare LT, %arg0, %0, SIGNED : (tensor<2x5xi32>, tensor<2x5xi32>) -> tensor<2x5xi1>
    %c_15 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<2x5xi32>
    %3 = stablehlo.add %arg0, %2 : tensor<2x5xi32>
    %4 = stablehlo.select %1, %3, %arg0 : tensor<2x5xi1>, tensor<2x5xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x5xi32>) -> tensor<2x5x1xi32>
    %6 = "stablehlo.gather"(%cst, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<11x6xf32>, tensor<2x5x1xi32>) -> tensor<2x5x6xf32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [1, 2] : (tensor<5x6xf32>) -> tensor<1x5x6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x5x6xf32>) -> tensor<2x5x6xf32>
    %9 = stablehlo.add %6, %8 : tensor<2x5x6xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<2x5x6xf32>, tensor<f32>) -> tensor<2x5xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_17 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<2x5x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x6xf32>
    %15 = stablehlo.subtract %9, %14 : tensor<2x5x6xf32>
    %16 = stablehlo.multiply %15, %15 : tensor<2x5x6xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<2x5x6xf32>, tensor<f32>) -> tensor<2x5xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_19 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %20 = stablehlo.divide %18, %19 : tensor<2x5x1xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %22 = stablehlo.add %20, %21 : tensor<2x5x1xf32>
    %23 = stablehlo.rsqrt %22 : tensor<2x5x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x6xf32>
    %25 = stablehlo.multiply %15, %24 : tensor<2x5x6xf32>
    %26 = stablehlo.broadcast_in_dim %cst_1, dims = [2] : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x6xf32>) -> tensor<2x5x6xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<2x5x6xf32>
    %29 = stablehlo.broadcast_in_dim %cst_2, dims = [2] : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<1x1x6xf32>) -> tensor<2x5x6xf32>
    %31 = stablehlo.add %28, %30 : tensor<2x5x6xf32>
    %32 = stablehlo.dot_general %31, %cst_3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x6xf32>, tensor<6x18xf32>) -> tensor<2x5x18xf32>
    %33 = stablehlo.broadcast_in_dim %cst_4, dims = [2] : (tensor<18xf32>) -> tensor<1x1x18xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<1x1x18xf32>) -> tensor<2x5x18xf32>
    %35 = stablehlo.add %32, %34 : tensor<2x5x18xf32>
    %36 = stablehlo.slice %35 [0:2, 0:5, 0:6] : (tensor<2x5x18xf32>) -> tensor<2x5x6xf32>
    %37 = stablehlo.slice %35 [0:2, 0:5, 6:12] : (tensor<2x5x18xf32>) -> tensor<2x5x6xf32>
    %38 = stablehlo.slice %35 [0:2, 0:5, 12:18] : (tensor<2x5x18xf32>) -> tensor<2x5x6xf32>
    %39 = stablehlo.reshape %36 : (tensor<2x5x6xf32>) -> tensor<2x5x2x3xf32>
    %40 = stablehlo.reshape %37 : (tensor<2x5x6xf32>) -> tensor<2x5x2x3xf32>
    %41 = stablehlo.reshape %38 : (tensor<2x5x6xf32>) -> tensor<2x5x2x3xf32>
    %42 = stablehlo.dot_general %39, %40, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x5x2x3xf32>, tensor<2x5x2x3xf32>) -> tensor<2x2x5x5xf32>
    %cst_21 = stablehlo.constant dense<1.73205078> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x2x5x5xf32>
    %44 = stablehlo.divide %42, %43 : tensor<2x2x5x5xf32>
    %c_22 = stablehlo.constant dense<true> : tensor<i1>
    %45 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i1>) -> tensor<5x5xi1>
    %46 = call @tril(%45) : (tensor<5x5xi1>) -> tensor<5x5xi1>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %47 = call @_where(%46, %44, %cst_23) : (tensor<5x5xi1>, tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5x5xf32>
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_24) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x2x5xf32>
    %50 = stablehlo.maximum %49, %48 : tensor<2x2x5xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<2x2x5xf32>) -> tensor<2x2x5x1xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x5xf32>
    %53 = stablehlo.subtract %47, %52 : tensor<2x2x5x5xf32>
    %54 = stablehlo.exponential %53 : tensor<2x2x5x5xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_26) applies stablehlo.add across dimensions = [3] : (tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<2x2x5xf32>) -> tensor<2x2x5x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x5xf32>
    %58 = stablehlo.divide %54, %57 : tensor<2x2x5x5xf32>
    %59 = stablehlo.dot_general %41, %58, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x5x2x3xf32>, tensor<2x2x5x5xf32>) -> tensor<2x2x3x5xf32>
    %60 = stablehlo.transpose %59, dims = [0, 3, 1, 2] : (tensor<2x2x3x5xf32>) -> tensor<2x5x2x3xf32>
    %61 = stablehlo.reshape %60 : (tensor<2x5x2x3xf32>) -> tensor<2x5x6xf32>
    %62 = stablehlo.dot_general %61, %cst_5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x6xf32>, tensor<6x6xf32>) -> tensor<2x5x6xf32>
    %63 = stablehlo.broadcast_in_dim %cst_6, dims = [2] : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<1x1x6xf32>) -> tensor<2x5x6xf32>
    %65 = stablehlo.add %62, %64 : tensor<2x5x6xf32>
    %66 = stablehlo.add %9, %65 : tensor<2x5x6xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x5x6xf32>, tensor<f32>) -> tensor<2x5xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_28 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %70 = stablehlo.divide %68, %69 : tensor<2x5x1xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x6xf32>
    %72 = stablehlo.subtract %66, %71 : tensor<2x5x6xf32>
    %73 = stablehlo.multiply %72, %72 : tensor<2x5x6xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<2x5x6xf32>, tensor<f32>) -> tensor<2x5xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_30 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %77 = stablehlo.divide %75, %76 : tensor<2x5x1xf32>
    %cst_31 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %79 = stablehlo.add %77, %78 : tensor<2x5x1xf32>
    %80 = stablehlo.rsqrt %79 : tensor<2x5x1xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x6xf32>
    %82 = stablehlo.multiply %72, %81 : tensor<2x5x6xf32>
    %83 = stablehlo.broadcast_in_dim %cst_7, dims = [2] : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x1x6xf32>) -> tensor<2x5x6xf32>
    %85 = stablehlo.multiply %82, %84 : tensor<2x5x6xf32>
    %86 = stablehlo.broadcast_in_dim %cst_8, dims = [2] : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<1x1x6xf32>) -> tensor<2x5x6xf32>
    %88 = stablehlo.add %85, %87 : tensor<2x5x6xf32>
    %89 = stablehlo.dot_general %88, %cst_9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x6xf32>, tensor<6x7xf32>) -> tensor<2x5x7xf32>
    %90 = stablehlo.broadcast_in_dim %cst_10, dims = [2] : (tensor<7xf32>) -> tensor<1x1x7xf32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2] : (tensor<1x1x7xf32>) -> tensor<2x5x7xf32>
    %92 = stablehlo.add %89, %91 : tensor<2x5x7xf32>
    %93 = stablehlo.multiply %92, %92 : tensor<2x5x7xf32>
    %94 = stablehlo.multiply %93, %92 : tensor<2x5x7xf32>
    %cst_32 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x5x7xf32>
    %96 = stablehlo.multiply %95, %94 : tensor<2x5x7xf32>
    %97 = stablehlo.add %92, %96 : tensor<2x5x7xf32>
    %cst_33 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<2x5x7xf32>
    %99 = stablehlo.multiply %98, %97 : tensor<2x5x7xf32>
    %100 = stablehlo.tanh %99 : tensor<2x5x7xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2x5x7xf32>
    %102 = stablehlo.add %101, %100 : tensor<2x5x7xf32>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<2x5x7xf32>
    %104 = stablehlo.multiply %103, %102 : tensor<2x5x7xf32>
    %105 = stablehlo.multiply %92, %104 : tensor<2x5x7xf32>
    %106 = stablehlo.dot_general %105, %cst_11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x7xf32>, tensor<7x6xf32>) -> tensor<2x5x6xf32>
    %107 = stablehlo.add %66, %106 : tensor<2x5x6xf32>
    %108 = stablehlo.broadcast_in_dim %cst_12, dims = [2] : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2] : (tensor<1x1x6xf32>) -> tensor<2x5x6xf32>
    %110 = stablehlo.add %107, %109 : tensor<2x5x6xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%110 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x5x6xf32>, tensor<f32>) -> tensor<2x5xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_37 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %114 = stablehlo.divide %112, %113 : tensor<2x5x1xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x6xf32>
    %116 = stablehlo.subtract %110, %115 : tensor<2x5x6xf32>
    %117 = stablehlo.multiply %116, %116 : tensor<2x5x6xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %118 = stablehlo.reduce(%117 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<2x5x6xf32>, tensor<f32>) -> tensor<2x5xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_39 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %121 = stablehlo.divide %119, %120 : tensor<2x5x1xf32>
    %cst_40 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %123 = stablehlo.add %121, %122 : tensor<2x5x1xf32>
    %124 = stablehlo.rsqrt %123 : tensor<2x5x1xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x6xf32>
    %126 = stablehlo.multiply %116, %125 : tensor<2x5x6xf32>
    %127 = stablehlo.broadcast_in_dim %cst_13, dims = [2] : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x6xf32>) -> tensor<2x5x6xf32>
    %129 = stablehlo.multiply %126, %128 : tensor<2x5x6xf32>
    %130 = stablehlo.broadcast_in_dim %cst_14, dims = [2] : (tensor<6xf32>) -> tensor<1x1x6xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1, 2] : (tensor<1x1x6xf32>) -> tensor<2x5x6xf32>
    %132 = stablehlo.add %129, %131 : tensor<2x5x6xf32>
    return %132 : tensor<2x5x6xf32>
  }
  func.func private @tril(%arg0: tensor<5x5xi1>) -> tensor<5x5xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<5x5xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x5xi32>
    %2 = stablehlo.add %0, %1 : tensor<5x5xi32>
    %3 = stablehlo.iota dim = 1 : tensor<5x5xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<5x5xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<5x5xi1>, tensor<5x5xi1>
    return %6 : tensor<5x5xi1>
  }
  func.func private @_where(%arg0: tensor<5x5xi1>, %arg1: tensor<2x2x5x5xf32>, %arg2: tensor<f32>) -> tensor<2x2x5x5xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<5x5xi1>) -> tensor<2x2x5x5xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x5x5xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x5x5xi1>, tensor<2x2x5x5xf32>
    return %3 : tensor<2x2x5x5xf32>
  }
}
