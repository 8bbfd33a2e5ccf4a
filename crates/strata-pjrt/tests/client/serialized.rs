//! Executables as bytes, and programs with tokens.

use crate::c_api::{
    DONATING, F32, INVALID_ARGUMENT, ORDERED, ask, buffer, client, client_with, compile,
    deserialize, free, is_deleted, list, program_of, read, run, serialize,
};

#[test]
fn executables_are_serialised() {
    let client = client();
    let executable = compile(client, DONATING).expect("it compiles");
    let bytes = serialize(executable).expect("its bytes");
    assert_eq!(Ok(&bytes), serialize(executable).as_ref());
    free("LoadedExecutable_Destroy", executable);
    let loaded = deserialize(client, &bytes).expect("it is loaded");
    let (x, y) = (buffer(client, &[1.0, 2.0, 3.0]), buffer(client, &[10.0, 20.0, 30.0]));
    let [found] = run(loaded, &[x, y]).expect("it runs");
    assert_eq!(read(found), Ok(vec![11.0, 22.0, 33.0]));
    assert!(is_deleted(x) && !is_deleted(y));
    assert_eq!(serialize(loaded).as_ref(), Ok(&bytes));
    // Every byte matters, and so does the end.
    for at in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[at] ^= 1 << (at % 8);
        let (code, text) = deserialize(client, &wrong).err().expect("it is damaged");
        assert!([INVALID_ARGUMENT, 9].contains(&code), "byte {at}: {text}");
    }
    for end in [0, 7, 8, 20, bytes.len() / 2, bytes.len() - 1] {
        let (code, _) = deserialize(client, &bytes[..end]).err().expect("it is cut");
        assert_eq!(code, INVALID_ARGUMENT, "{end} bytes");
    }
    let longer = [&bytes[..], b"!"].concat();
    assert_eq!(deserialize(client, &longer).err().map(|(code, _)| code), Some(INVALID_ARGUMENT));
    // Another client's options make other code.
    let (code, text) = deserialize(client_with(1), &bytes).err().expect("other options");
    assert!(code == 9 && text.contains("compile the program again"), "{text}");
}

/// Tokens of the program are arrays without elements; places among the arguments count them.
#[test]
fn tokens_pass_through_programs() {
    let client = client();
    let compiled = compile(client, ORDERED).expect("it compiles");
    for executable in
        [compiled, deserialize(client, &serialize(compiled).expect("bytes")).expect("it")]
    {
        let (token, x, y) =
            (buffer(client, &[]), buffer(client, &[1.0; 3]), buffer(client, &[2.0; 3]));
        let (code, text) = run::<2>(executable, &[token, x]).err().expect("one is missing");
        assert!(code == INVALID_ARGUMENT && text.contains("takes 3 arguments"), "{text}");
        let (code, text) = run::<2>(executable, &[token, x, x]).err().expect("one is donated");
        assert!(code == INVALID_ARGUMENT && text.contains("argument 1 is donated"), "{text}");
        let [after, sum] = run(executable, &[token, x, y]).expect("it runs");
        assert_eq!(read(sum), Ok(vec![3.0; 3]));
        assert_eq!(
            (ask("Buffer_ElementType", after), ask("Buffer_OnDeviceSizeInBytes", after)),
            (Ok(1_i32), Ok(0_usize))
        );
        assert!(is_deleted(x) && !is_deleted(y) && !is_deleted(token));
        let program = program_of(executable);
        assert_eq!(ask("Executable_NumOutputs", program), Ok(2_usize));
        assert_eq!(list::<_, i32>("Executable_OutputElementTypes", program), [1, F32]);
    }
}
