//! Data from and to the host, tokens, custom calls.

use strata_builder::{
    Aliasing, ApiVersion, Builder, ChannelHandle, Computation, CustomCall, F32, Op, Result, S32,
    Shape,
};

use super::{build, code_of, refuses, shape};

fn text(root: impl Fn(&Builder) -> Result<Op>) -> String {
    let text = build(root).to_text().expect("text");
    let context = strata_ir::new_context();
    let module = strata_ir::parse(&context, "built.mlir", text.as_bytes()).expect("it parses");
    assert_eq!(strata_ir::print(&module, false), text);
    text
}

#[test]
fn d000_infeed_and_outfeed_in_the_order_in_which_they_are_built() {
    let both = |b: &Builder| {
        let first = b.infeed(&Shape::array(F32, [3]), "one")?;
        let pair = b.infeed(&Shape::tuple([Shape::scalar(F32), Shape::array(S32, [2])]), "two")?;
        first.outfeed(&Shape::array(F32, [3]), "three")?;
        pair.get_tuple_element(0)?.add(&first)
    };
    assert_eq!(shape(both), "f32[3]");
    let text = text(both);
    // Each takes the token of the one before, by its result.
    assert!(text.contains("infeed_config = \"one\"") && text.contains("(%1#1) "), "{text}");
    assert!(text.contains("%2#2"), "{text}");
    assert!(text.contains("outfeed_config = \"three\""), "{text}");
    refuses(|b| b.infeed(&Shape::tuple([Shape::tuple([])]), ""), "S1014", "a tuple of arrays");
    refuses(|b| b.infeed(&Shape::array(F32, [-1]), ""), "S1014", "negative");
    refuses(
        |b| {
            let x = b.constant([1.0_f32]);
            x.outfeed(&Shape::array(F32, [2]), "").map(|()| x)
        },
        "S1014",
        "the shape is the operand's",
    );
}

#[test]
fn d000_infeed_and_outfeed_with_tokens() {
    let both = |b: &Builder| {
        let read = b.infeed_with_token(&b.create_token()?, &Shape::array(F32, [3]), "")?;
        let (data, token) = (read.get_tuple_element(0)?, read.get_tuple_element(1)?);
        let done = data.outfeed_with_token(&token, &Shape::array(F32, [3]), "")?;
        b.tuple(&[data, b.after_all(&[token, done])?])
    };
    assert_eq!(shape(both), "(f32[3], token[])");
    assert!(text(both).contains("stablehlo.outfeed"));
    refuses(|b| b.infeed_with_token(&b.constant(1_i32), &Shape::array(F32, [3]), ""), "S1005", "");
    refuses(
        |b| b.constant(1_i32).outfeed_with_token(&b.constant(1_i32), &Shape::scalar(S32), ""),
        "S1005",
        "",
    );
}

#[test]
fn d000_after_all() {
    assert_eq!(shape(|b| b.after_all(&[b.create_token()?, b.create_token()?])), "token[]");
    assert_eq!(shape(|b| b.after_all(&[])), "token[]");
    refuses(|b| b.after_all(&[b.constant(1_i32)]), "S1005", "");
}

#[test]
fn d000_send_and_recv_with_and_without_tokens() {
    let channel = ChannelHandle { handle: 7, kind: 1 };
    let plain = |b: &Builder| {
        b.constant([1.0_f32]).send(channel)?;
        b.recv(&Shape::array(F32, [3]), channel)
    };
    assert_eq!(shape(plain), "f32[3]");
    let written = text(plain);
    assert!(written.contains("stablehlo.send") && written.contains("handle = 7"), "{written}");
    assert_eq!(code_of(build(plain).load()).map(|code| code.id()), Some("S1103"));
    let tokens = |b: &Builder| {
        let sent =
            b.constant([1.0_f32]).send_with_token(&b.create_token()?, channel)?.send_done()?;
        let context = b.recv_with_token(&sent, &Shape::array(F32, [3]), channel)?;
        context.recv_done()
    };
    assert_eq!(shape(tokens), "(f32[3], token[])");
    assert!(text(tokens).contains("stablehlo.recv"));
    let (out, back) = (ChannelHandle { handle: 1, kind: 2 }, ChannelHandle { handle: 2, kind: 3 });
    let host = |b: &Builder| {
        let sent = b.constant([1.0_f32]).send_to_host(&b.create_token()?, out)?;
        b.recv_from_host(&sent, &Shape::array(F32, [3]), back)
    };
    assert!(text(host).contains("is_host_transfer = true"));
    refuses(|b| b.recv_from_host(&b.create_token()?, &Shape::array(F32, [3]), out), "S1005", "");
    refuses(|b| b.constant([1.0_f32]).send_to_host(&b.create_token()?, back), "S1005", "");
    refuses(|b| b.constant([1.0_f32]).recv_done(), "S1014", "data and a token");
    refuses(|b| b.constant([1.0_f32]).send_done(), "S1005", "");
}

#[test]
fn d000_custom_call_of_every_api_version() {
    let versions = [
        (ApiVersion::Original, "config"),
        (ApiVersion::StatusReturning, "config"),
        (ApiVersion::StatusReturningUnified, "config"),
        (ApiVersion::TypedFfi, "{n = 1 : i32}"),
    ];
    for (api_version, backend_config) in versions {
        let call = |b: &Builder| {
            let operands = [b.constant([1.0_f32, 2.0]), b.constant([[10.0_f32, 20.0, 30.0]])];
            let shape = Some(Shape::array(F32, [3, 3]));
            b.custom_call(
                &operands,
                &CustomCall {
                    target: "myfunc",
                    shape,
                    backend_config,
                    api_version,
                    ..CustomCall::default()
                },
            )
        };
        assert_eq!(shape(call), "f32[3,3]");
        let text = text(call);
        assert!(text.contains("stablehlo.custom_call @myfunc"), "{text}");
    }
    let call = |call: CustomCall<'static>| {
        move |b: &Builder| b.custom_call(&[b.constant([1.0_f32])], &call)
    };
    let shape = Some(Shape::array(F32, [1]));
    refuses(
        call(CustomCall { target: "f", ..CustomCall::default() }),
        "S1014",
        "the shape of the result is missing",
    );
    let wrong = CustomCall {
        target: "f",
        shape: shape.clone(),
        backend_config: "text",
        api_version: ApiVersion::TypedFfi,
        ..CustomCall::default()
    };
    refuses(call(wrong), "S1014", "not a dictionary");
    static ALIAS: &[Aliasing] = &[Aliasing { output: Vec::new(), operand: 3, inside: Vec::new() }];
    refuses(
        call(CustomCall {
            target: "f",
            shape: shape.clone(),
            aliases: ALIAS,
            ..CustomCall::default()
        }),
        "S1005",
        "",
    );
    let layout: &'static [Vec<i64>] = Box::leak(Box::new([vec![0, 1]]));
    let wrong = CustomCall {
        target: "f",
        shape,
        operand_layouts: Some(layout),
        result_layouts: Some(layout),
        ..CustomCall::default()
    };
    refuses(call(wrong), "S1005", "");
}

#[test]
fn custom_call_with_computations_tuples_layouts_and_effects() {
    let helper = Computation::add(F32).expect("a sum");
    let call = |b: &Builder| {
        let pair = b.tuple(&[b.constant([[1.0_f32]]), b.constant(2_i32)])?;
        let called = [helper.clone()];
        let layouts = [vec![1, 0], vec![]];
        let call = CustomCall {
            target: "f",
            shape: Some(Shape::tuple([Shape::array(F32, [1, 1]), Shape::scalar(S32)])),
            has_side_effect: true,
            called_computations: &called,
            operand_layouts: Some(&layouts),
            result_layouts: Some(&layouts),
            ..CustomCall::default()
        };
        b.custom_call(&[pair], &call)
    };
    assert_eq!(shape(call), "(f32[1,1], s32[])");
    let written = text(call);
    for part in ["called_computations = [@add]", "has_side_effect = true", "func.func private @add"]
    {
        assert!(written.contains(part), "{part}: {written}");
    }
    // Operations with effects are kept even if their results are unused.
    let unused = text(|b| call(b).map(|_| b.constant(1_i32)));
    assert!(unused.contains("@f("), "{unused}");
}
