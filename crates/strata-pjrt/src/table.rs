//! The table of functions: all that the C API has in this minor version, in its order.

use std::ffi::c_void;

use crate::{
    abi::{Entry, SHARDINGS_KIND, Shardings},
    buffer, client, event, executable,
    failure::{self, Error, guard, missing},
    layouts, plugin,
};

/// A function that calls ours, or one that says that Strata does not have it.
macro_rules! entry {
    ($name:literal, $body:path) => {{
        unsafe extern "C" fn call(arguments: *mut c_void) -> *mut Error {
            // SAFETY: the client passes what the C API asks for.
            unsafe { guard($name, arguments, $body) }
        }
        call as Entry
    }};
    ($name:literal) => {{
        unsafe extern "C" fn call(_: *mut c_void) -> *mut Error {
            missing($name)
        }
        call as Entry
    }};
}

macro_rules! table {
    ($($name:literal $(=> $body:path)?,)*) => {
        /// What the functions are called, without `PJRT_`.
        pub const NAMES: &[&str] = &[$($name),*];
        /// The functions.
        pub const FUNCTIONS: [Option<Entry>; COUNT] = [$(Some(entry!($name $(, $body)?))),*];
    };
}

/// The extension that says how arguments and results are split over devices.
pub static SHARDINGS: Shardings = Shardings {
    struct_size: size_of::<Shardings>(),
    kind: SHARDINGS_KIND,
    next: std::ptr::null(),
    parameters: entry!(
        "Shardings_PJRT_Executable_ParameterShardings",
        executable::parameter_shardings
    ),
    outputs: entry!("Shardings_PJRT_Executable_OutputShardings", executable::output_shardings),
};

/// The functions of the extension that says how arrays lie in memory.
pub const LAYOUT_FUNCTIONS: [Entry; 7] = [
    entry!("Layouts_MemoryLayout_Destroy", layouts::destroy),
    entry!("Layouts_MemoryLayout_Serialize", layouts::serialize),
    entry!("Layouts_PJRT_Client_GetDefaultLayout", layouts::of_client),
    entry!("Layouts_PJRT_Buffer_MemoryLayout", layouts::of_buffer),
    entry!("Layouts_PJRT_Topology_GetDefaultLayout"),
    entry!("Layouts_PJRT_Executable_GetOutputLayouts", layouts::of_results),
    entry!("Layouts_PJRT_Executable_GetParameterLayouts", layouts::of_arguments),
];

/// How many functions there are.
pub const COUNT: usize = NAMES.len();

table! {
    "Error_Destroy" => failure::destroy,
    "Error_Message" => failure::message,
    "Error_GetCode" => failure::code,
    "Plugin_Initialize" => plugin::initialize,
    "Plugin_Attributes" => plugin::attributes,
    "Event_Destroy" => event::destroy,
    "Event_IsReady" => event::is_ready,
    "Event_Error" => event::error,
    "Event_Await" => event::wait,
    "Event_OnReady" => event::on_ready,
    "Client_Create" => client::create,
    "Client_Destroy" => client::destroy,
    "Client_PlatformName" => client::platform_name,
    "Client_ProcessIndex" => client::process_index,
    "Client_PlatformVersion" => client::platform_version,
    "Client_Devices" => client::devices,
    "Client_AddressableDevices" => client::devices,
    "Client_LookupDevice" => client::lookup,
    "Client_LookupAddressableDevice" => client::lookup,
    "Client_AddressableMemories" => client::memories,
    "Client_Compile" => executable::compile,
    "Client_DefaultDeviceAssignment" => client::default_assignment,
    "Client_BufferFromHostBuffer" => buffer::from_host,
    "DeviceDescription_Id" => client::device_number,
    "DeviceDescription_ProcessIndex" => client::device_process,
    "DeviceDescription_Attributes" => client::no_attributes,
    "DeviceDescription_Kind" => client::device_kind,
    "DeviceDescription_DebugString" => client::device_text,
    "DeviceDescription_ToString" => client::device_text,
    "Device_GetDescription" => client::description,
    "Device_IsAddressable" => client::is_addressable,
    "Device_LocalHardwareId" => client::device_number,
    "Device_AddressableMemories" => client::device_memories,
    "Device_DefaultMemory" => client::default_memory,
    "Device_MemoryStats" => client::memory_stats,
    "Memory_Id" => client::memory_number,
    "Memory_Kind" => client::memory_kind,
    "Memory_DebugString" => client::memory_text,
    "Memory_ToString" => client::memory_text,
    "Memory_AddressableByDevices" => client::memory_devices,
    "Executable_Destroy" => executable::destroy,
    "Executable_Name" => executable::name,
    "Executable_NumReplicas" => executable::replicas,
    "Executable_NumPartitions" => executable::partitions,
    "Executable_NumOutputs" => executable::output_count,
    "Executable_SizeOfGeneratedCodeInBytes" => executable::code_size,
    "Executable_GetCostAnalysis" => executable::cost,
    "Executable_OutputMemoryKinds" => executable::output_memory_kinds,
    "Executable_OptimizedProgram" => executable::optimized_program,
    "Executable_Serialize" => executable::serialize,
    "LoadedExecutable_Destroy" => executable::destroy_loaded,
    "LoadedExecutable_GetExecutable" => executable::get,
    "LoadedExecutable_AddressableDevices" => executable::devices,
    "LoadedExecutable_Delete" => executable::delete,
    "LoadedExecutable_IsDeleted" => executable::is_deleted,
    "LoadedExecutable_Execute" => executable::execute,
    "Executable_DeserializeAndLoad" => executable::deserialize,
    "LoadedExecutable_Fingerprint" => executable::loaded_fingerprint,
    "Buffer_Destroy" => buffer::destroy,
    "Buffer_ElementType" => buffer::element_type,
    "Buffer_Dimensions" => buffer::dimensions,
    "Buffer_UnpaddedDimensions" => buffer::dimensions,
    "Buffer_DynamicDimensionIndices" => buffer::no_dynamic_dimensions,
    "Buffer_GetMemoryLayout" => buffer::layout,
    "Buffer_OnDeviceSizeInBytes" => buffer::size,
    "Buffer_Device" => buffer::device,
    "Buffer_Memory" => buffer::memory,
    "Buffer_Delete" => buffer::delete,
    "Buffer_IsDeleted" => buffer::is_deleted,
    "Buffer_CopyToDevice" => buffer::copy_to_device,
    "Buffer_ToHostBuffer" => buffer::to_host,
    "Buffer_IsOnCpu" => buffer::is_on_cpu,
    "Buffer_ReadyEvent" => buffer::ready_event,
    "Buffer_UnsafePointer" => buffer::pointer,
    "Buffer_IncreaseExternalReferenceCount" => buffer::hold,
    "Buffer_DecreaseExternalReferenceCount" => buffer::release,
    "Buffer_OpaqueDeviceMemoryDataPointer" => buffer::pointer,
    "CopyToDeviceStream_Destroy",
    "CopyToDeviceStream_AddChunk",
    "CopyToDeviceStream_TotalBytes",
    "CopyToDeviceStream_GranuleSize",
    "CopyToDeviceStream_CurrentBytes",
    "TopologyDescription_Create",
    "TopologyDescription_Destroy",
    "TopologyDescription_PlatformName",
    "TopologyDescription_PlatformVersion",
    "TopologyDescription_GetDeviceDescriptions",
    "TopologyDescription_Serialize",
    "TopologyDescription_Attributes",
    "Compile",
    "Executable_OutputElementTypes" => executable::output_types,
    "Executable_OutputDimensions" => executable::output_dimensions,
    "Buffer_CopyToMemory" => buffer::copy_to_memory,
    "Client_CreateViewOfDeviceBuffer",
    "Executable_Fingerprint" => executable::fingerprint,
    "Client_TopologyDescription",
    "Executable_GetCompiledMemoryStats" => executable::memory_stats,
    "Memory_Kind_Id" => client::memory_kind_number,
    "ExecuteContext_Create",
    "ExecuteContext_Destroy",
    "Buffer_CopyRawToHost",
    "AsyncHostToDeviceTransferManager_Destroy",
    "AsyncHostToDeviceTransferManager_TransferData",
    "Client_CreateBuffersForAsyncHostToDevice",
    "AsyncHostToDeviceTransferManager_RetrieveBuffer",
    "AsyncHostToDeviceTransferManager_Device",
    "AsyncHostToDeviceTransferManager_BufferCount",
    "AsyncHostToDeviceTransferManager_BufferSize",
    "AsyncHostToDeviceTransferManager_SetBufferError",
    "AsyncHostToDeviceTransferManager_AddMetadata",
    "Client_DmaMap",
    "Client_DmaUnmap",
    "Client_CreateUninitializedBuffer",
    "Client_UpdateGlobalProcessInfo",
    "TopologyDescription_Deserialize",
    "Client_CreateAliasBuffer",
    "Client_FulfillAliasBuffer",
    "LoadedExecutable_GetDeviceAssignment" => executable::assignment,
    "Client_CreateErrorBuffer",
    "AsyncHostToDeviceTransferManager_TransferLiteral",
    "Buffer_CopyRawToHostFuture",
    "Device_PoisonExecution",
    "Device_CreateAsyncTrackingEvent",
    "AsyncTrackingEvent_Destroy",
    "Executable_GetCompileOptions",
    "Buffer_DonateWithControlDependency",
    "Event_Create",
    "Event_Set",
    "Device_GetAttributes" => client::device_attributes,
    "Client_Load",
    "LoadedExecutable_AddressableDeviceLogicalIds" => executable::logical_ids,
    "Buffer_Bitcast",
    "Error_ForEachPayload" => failure::payloads,
    "TopologyDescription_Fingerprint",
    "Executable_ParameterMemoryKinds",
}
