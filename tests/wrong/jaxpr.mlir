{ lambda ; a:f32[4,8]. let b:f32[4,8] = tanh a in (b,) }
