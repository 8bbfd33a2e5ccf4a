/* Runs a program on the PJRT plugin that the first argument names, with dlopen alone.
 *
 *   cc -I FOLDER client.c -o client && ./client libstrata_pjrt.so
 *
 * FOLDER has xla/pjrt/c/pjrt_c_api.h, the public header of PJRT, of any version 0.54 or later. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xla/pjrt/c/pjrt_c_api.h"

static const char program_text[] =
    "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.multiply %x, %y : tensor<4xf32>\n"
    "  %1 = stablehlo.add %0, %x : tensor<4xf32>\n"
    "  return %1 : tensor<4xf32>\n"
    "}\n";

static const PJRT_Api *api;

/* Ends the process with the message of an error. */
static void check(PJRT_Error *error) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "%.*s\n", (int)message.message_size, message.message);
  exit(1);
}

/* Waits for an event, and destroys it. */
static void await(PJRT_Event *event) {
  if (event == NULL) return;
  PJRT_Event_Await_Args wait = {.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE, .event = event};
  check(api->PJRT_Event_Await(&wait));
  PJRT_Event_Destroy_Args destroy = {.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = event};
  check(api->PJRT_Event_Destroy(&destroy));
}

static void destroy(PJRT_Buffer *buffer) {
  PJRT_Buffer_Destroy_Args arguments = {.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE, .buffer = buffer};
  check(api->PJRT_Buffer_Destroy(&arguments));
}

static PJRT_Buffer *to_device(PJRT_Client *client, PJRT_Device *device, const float *data, int64_t count) {
  PJRT_Client_BufferFromHostBuffer_Args arguments = {
      .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
      .client = client,
      .data = data,
      .type = PJRT_Buffer_Type_F32,
      .dims = &count,
      .num_dims = 1,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = device,
  };
  check(api->PJRT_Client_BufferFromHostBuffer(&arguments));
  await(arguments.done_with_host_buffer);
  return arguments.buffer;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s libstrata_pjrt.so\n", arguments[0]);
    return 2;
  }
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const PJRT_Api *(*get_api)(void);
  *(void **)&get_api = dlsym(library, "GetPjrtApi");
  if (get_api == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  api = get_api();
  printf("PJRT %d.%d\n", api->pjrt_api_version.major_version, api->pjrt_api_version.minor_version);

  PJRT_Client_Create_Args create = {.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE};
  check(api->PJRT_Client_Create(&create));
  PJRT_Client_AddressableDevices_Args devices = {
      .struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE, .client = create.client};
  check(api->PJRT_Client_AddressableDevices(&devices));

  static char text[sizeof program_text];
  memcpy(text, program_text, sizeof text);
  PJRT_Program program = {
      .struct_size = PJRT_Program_STRUCT_SIZE,
      .code = text,
      .code_size = sizeof text - 1,
      .format = "mlir",
      .format_size = 4,
  };
  /* Without options a program is for one device. */
  PJRT_Client_Compile_Args compile = {
      .struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE,
      .client = create.client,
      .program = &program,
      .compile_options = "",
  };
  check(api->PJRT_Client_Compile(&compile));

  const float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40};
  PJRT_Device *device = devices.addressable_devices[0];
  PJRT_Buffer *inputs[] = {to_device(create.client, device, x, 4), to_device(create.client, device, y, 4)};
  PJRT_Buffer *const *input_lists[] = {inputs};
  PJRT_Buffer *outputs[1];
  PJRT_Buffer **const output_lists[] = {outputs};
  PJRT_Event *done[1];
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_LoadedExecutable_Execute_Args execute = {
      .struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
      .executable = compile.executable,
      .options = &options,
      .argument_lists = input_lists,
      .num_devices = 1,
      .num_args = 2,
      .output_lists = output_lists,
      .device_complete_events = done,
  };
  check(api->PJRT_LoadedExecutable_Execute(&execute));
  await(done[0]);

  float result[4];
  PJRT_Buffer_ToHostBuffer_Args fetch = {
      .struct_size = PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE,
      .src = outputs[0],
      .dst = result,
      .dst_size = sizeof result,
  };
  check(api->PJRT_Buffer_ToHostBuffer(&fetch));
  await(fetch.event);
  printf("%g %g %g %g\n", result[0], result[1], result[2], result[3]);

  destroy(inputs[0]);
  destroy(inputs[1]);
  destroy(outputs[0]);
  PJRT_LoadedExecutable_Destroy_Args unload = {
      .struct_size = PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE, .executable = compile.executable};
  check(api->PJRT_LoadedExecutable_Destroy(&unload));
  PJRT_Client_Destroy_Args end = {.struct_size = PJRT_Client_Destroy_Args_STRUCT_SIZE, .client = create.client};
  check(api->PJRT_Client_Destroy(&end));
  return 0;
}
