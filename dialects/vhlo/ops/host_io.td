// Exchange with the host and between processes.

#ifndef STRATA_VHLO_HOST_IO
#define STRATA_VHLO_HOST_IO

include "vhlo/base.td"

def InfeedOpV1 : VHLO_Op<"infeed_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$token, VHLO_Attr:$infeed_config, VHLO_Attr:$layout);
  let results = (outs VHLO_Values:$results);
}

def OutfeedOpV1 : VHLO_Op<"outfeed_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Value:$token, VHLO_Attr:$outfeed_config);
  let results = (outs VHLO_Value:$result);
}

def RecvOpV1 : VHLO_Op<"recv_v1", "0.9.0", "1.11.0"> {
  let arguments = (ins VHLO_Value:$token, VHLO_Attr:$channel_id, VHLO_Attr:$channel_type,
                       VHLO_Attr:$is_host_transfer);
  let results = (outs VHLO_Values:$results);
}

def RecvOpV2 : VHLO_Op<"recv_v2", "1.12.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$token, VHLO_Attr:$channel_id, VHLO_Attr:$channel_type,
                       VHLO_Attr:$is_host_transfer, VHLO_Attr:$source_target_pairs);
  let results = (outs VHLO_Values:$results);
}

def SendOpV1 : VHLO_Op<"send_v1", "0.9.0", "1.11.0"> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Value:$token, VHLO_Attr:$channel_id,
                       VHLO_Attr:$channel_type, VHLO_Attr:$is_host_transfer);
  let results = (outs VHLO_Value:$result);
}

def SendOpV2 : VHLO_Op<"send_v2", "1.12.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Value:$token, VHLO_Attr:$channel_id,
                       VHLO_Attr:$channel_type, VHLO_Attr:$is_host_transfer,
                       VHLO_Attr:$source_target_pairs);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_HOST_IO
