// Exchange with the host and between processes.

#ifndef STRATA_STABLEHLO_HOST_IO
#define STRATA_STABLEHLO_HOST_IO

include "stablehlo/attributes.td"

// Everything here has effects that are not visible in the operands.
class StableHLO_HostOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

def InfeedOp : StableHLO_HostOp<"infeed"> {
  let summary = "data from the host";
  let arguments = (ins StableHLO_Token:$token, DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<StableHLO_StaticTensorOrToken>);
  let hasVerifier = 1;
}

def OutfeedOp : StableHLO_HostOp<"outfeed", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "data to the host";
  let arguments = (ins Variadic<StableHLO_TensorOrPerAxis>:$inputs, StableHLO_Token:$token,
                       DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs StableHLO_Token);
}

def RecvOp : StableHLO_HostOp<"recv"> {
  let summary = "data received over a channel";
  let arguments = (ins StableHLO_Token:$token, StableHLO_ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<StableHLO_StaticTensorOrToken>);
  let hasVerifier = 1;
}

def SendOp : StableHLO_HostOp<"send", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "data sent over a channel";
  let arguments = (ins Variadic<StableHLO_TensorOrPerAxis>:$inputs, StableHLO_Token:$token,
                       StableHLO_ChannelHandleAttr:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs StableHLO_Token);
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_HOST_IO
