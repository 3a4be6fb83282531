//! `OpenCL`: the devices, their memory, and the kernels of `sweep.cl`.

#![allow(unsafe_code)]

use crate::engine::StopReason;
use crate::engine::two_color::sides::TAIL;
use crate::engine::two_color::tuples::MOST_HALF_LINES;
use opencl3::command_queue::{self, CommandQueue};
use opencl3::context::{Context, context};
use opencl3::device::{self as opencl, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::ClError;
use opencl3::event::{self, CL_COMPLETE, Event};
use opencl3::kernel::{self, Kernel};
use opencl3::memory::{self, Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::platform::get_platforms;
use opencl3::program::{self, Program};
use opencl3::types::CL_BLOCKING;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The environment variable that chooses devices of any type: a part of their names, or `*`. Without it, all GPUs are
/// used.
const VARIABLE: &str = "NQUEENS_OPENCL_DEVICE";

/// The number of threads of a work-group, as in `sweep.cl`.
pub(super) const THREADS: usize = 256;

/// The bytes of an entry of the one-row table, and of the bits of diagonal masks from which the table is made.
pub(super) const ENTRY: usize = 256;
pub(super) const BLOCKS: usize = 56 * ENTRY;

/// The least local memory that the two may take, so that the squares of a record's rows fit.
const LEAST_LOCAL: usize = BLOCKS + ENTRY * (1 + TAIL * MOST_HALF_LINES);

/// The bytes of local memory that `sweep` takes in addition for a work-group: it declares 5.1 KiB.
const LOCAL: usize = 6 << 10;

/// A handle that the system gives and takes back. If the device is lost, the system may refuse to take the handle back,
/// for which `opencl3` would panic. Nothing can be done then, so the refusal is ignored.
#[derive(Debug)]
struct DeviceHandle<T: Release>(ManuallyDrop<T>);

impl<T: Release> DeviceHandle<T> {
    fn new(handle: T) -> Self {
        Self(ManuallyDrop::new(handle))
    }
}

impl<T: Release> Drop for DeviceHandle<T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

trait Release {
    /// Gives the handle back to the system. Only [`DeviceHandle`] does so, once, when nobody uses the handle any more.
    fn release(&self);
}

macro_rules! release {
    ($([$($number:ident)?] $handle:ty: $release:path),*) => {
        $(impl$(<$number>)? Release for $handle {
            fn release(&self) {
                // SAFETY: the handle is valid, and is not used again.
                let _ = unsafe { $release(self.get()) };
            }
        })*
    };
}

release!(
    [] Context: context::release_context,
    [] Program: program::release_program,
    [] CommandQueue: command_queue::release_command_queue,
    [] Kernel: kernel::release_kernel,
    [] Event: event::release_event,
    [T] Buffer<T>: memory::release_mem_object
);

/// A device with the kernels built for it.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) name: String,
    /// The size of the device's memory, in bytes.
    pub(super) memory: u64,
    /// The most entries of a one-row table.
    pub(super) squares: usize,
    context: DeviceHandle<Context>,
    /// The kernels built with SPARSE, and with DENSE.
    programs: [DeviceHandle<Program>; 2],
    has_failed: AtomicBool,
}

impl Device {
    /// Returns all GPUs, or the devices that the environment names.
    ///
    /// # Errors
    /// The error says why there are none, and what would be right.
    pub(super) fn all() -> Result<Vec<Arc<Self>>, String> {
        // PoCL 3.1 shows no devices to a thread that asks while another thread is the first to ask.
        static ASKING: Mutex<()> = Mutex::new(());
        let _asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
        let platforms = get_platforms()
            .map_err(|_| "there is no OpenCL driver; install the driver of the GPU, with its OpenCL part".to_owned())?;
        let wanted = std::env::var_os(VARIABLE).filter(|text| !text.is_empty());
        let wanted = wanted.map(|text| text.to_string_lossy().into_owned());
        let kind = if wanted.is_some() { CL_DEVICE_TYPE_ALL } else { CL_DEVICE_TYPE_GPU };
        let mut devices = Vec::new();
        for id in platforms.iter().flat_map(|platform| platform.get_devices(kind).unwrap_or_default()) {
            let device = opencl::Device::new(id);
            let name = device.name().map_err(|error| format!("a device does not tell its name: {error}"))?;
            if wanted.as_ref().is_none_or(|wanted| wanted == "*" || name.contains(wanted)) {
                devices.push(Arc::new(Self::new(device, name.trim().to_owned())?));
            }
        }
        match wanted {
            _ if !devices.is_empty() => Ok(devices),
            Some(wanted) => Err(format!("OpenCL has no device with {wanted:?} in its name ({VARIABLE} is set)")),
            None => Err("OpenCL has no GPU; install the driver of the GPU, with its OpenCL part".to_owned()),
        }
    }

    fn new(device: opencl::Device, name: String) -> Result<Self, String> {
        let failed = |error: ClError| format!("device {name} cannot be used: {error}; {VARIABLE} chooses others");
        let context = DeviceHandle::new(Context::from_device(&device).map_err(failed)?);
        // Threads of a team exchange values by instructions that NVIDIA's GPUs have from Volta on.
        let in_step =
            if device.compute_capability_major_nv().is_ok_and(|major| major >= 7) { "-D IN_STEP" } else { "" };
        let build = |colour: &str| {
            let options = format!("-cl-std=CL1.2 -D {colour} {in_step}");
            let program = Program::create_and_build_from_source(&context.0, include_str!("sweep.cl"), &options);
            program.map(DeviceHandle::new).map_err(|log| {
                format!("the compiler of device {name} does not build the kernels; {VARIABLE} chooses others: {log}")
            })
        };
        let programs = [build("SPARSE")?, build("DENSE")?];
        let local = (device.local_mem_size().map_err(failed)? as usize).saturating_sub(LOCAL);
        if local < LEAST_LOCAL {
            let needed = LEAST_LOCAL + LOCAL;
            return Err(format!(
                "device {name} has less than {needed} bytes of local memory; {VARIABLE} chooses others"
            ));
        }
        let memory = device.global_mem_size().map_err(failed)?;
        Ok(Self {
            name,
            memory,
            squares: (local - BLOCKS) / ENTRY,
            context,
            programs,
            has_failed: AtomicBool::default(),
        })
    }

    /// Returns whether a command has failed: the device may be lost.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Returns the error for a command that failed, after which the device is not used again.
    fn failed(&self, doing: &str, error: &ClError) -> StopReason {
        self.has_failed.store(true, Ordering::Relaxed);
        let message = format!(
            "device {} failed to {doing}: {error}; if its memory is too small, give fewer --threads",
            self.name
        );
        StopReason::Device { message }
    }
}

/// The commands that one thread gives to a device, one after another.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) device: Arc<Device>,
    commands: DeviceHandle<CommandQueue>,
    /// The kernels by [`Name`].
    kernels: [DeviceHandle<Kernel>; 4],
    /// The commands that were given and not yet checked.
    given: RefCell<Vec<DeviceHandle<Event>>>,
}

/// A kernel of `sweep.cl`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    FindVisited,
    SweepSparse,
    SweepDense,
    Transpose,
}

impl Queue {
    pub(super) fn new(device: Arc<Device>) -> Result<Self, StopReason> {
        let [sparse, dense] = &device.programs;
        let kernel = |program: &Program, name| {
            let kernel = Kernel::create(program, name).map(DeviceHandle::new);
            kernel.map_err(|error| device.failed("make a kernel", &error))
        };
        // The order is that of `Name`.
        let kernels = [
            kernel(&sparse.0, "find_visited")?,
            kernel(&sparse.0, "sweep")?,
            kernel(&dense.0, "sweep")?,
            kernel(&sparse.0, "transpose")?,
        ];
        let commands = CommandQueue::create_default(&device.context.0, 0)
            .map_err(|error| device.failed("take commands", &error))?;
        Ok(Self { commands: DeviceHandle::new(commands), kernels, given: RefCell::default(), device })
    }

    /// Begins a launch of a kernel, which takes its arguments in the order of its parameters.
    pub(super) fn launch(&self, name: Name) -> Launch<'_> {
        Launch { queue: self, name, kernel: &self.kernels[name as usize].0, arguments: 0, set: Ok(()) }
    }

    fn give(&self, command: Result<Event, ClError>, doing: &str) -> Result<(), StopReason> {
        let event = command.map_err(|error| self.device.failed(doing, &error))?;
        self.given.borrow_mut().push(DeviceHandle::new(event));
        Ok(())
    }

    /// Checks that the commands given so far were done. A driver may report that a command has ended only after it
    /// reports the end of the last one.
    fn check(&self) -> Result<(), StopReason> {
        for event in self.given.borrow_mut().drain(..) {
            let status = event.0.wait().and_then(|()| event.0.command_execution_status());
            let status = status.and_then(|status| if status.0 < CL_COMPLETE { Err(ClError(status.0)) } else { Ok(()) });
            status.map_err(|error| self.device.failed("count", &error))?;
        }
        Ok(())
    }
}

/// A kernel with its arguments.
pub(super) struct Launch<'a> {
    queue: &'a Queue,
    name: Name,
    kernel: &'a Kernel,
    arguments: u32,
    /// An error if an argument was refused.
    set: Result<(), ClError>,
}

impl<'a> Launch<'a> {
    fn argument(mut self, set: impl FnOnce(&Kernel, u32) -> Result<(), ClError>) -> Self {
        self.set = self.set.and_then(|()| set(self.kernel, self.arguments));
        self.arguments += 1;
        self
    }

    pub(super) fn array<T>(self, array: &'a Array<T>) -> Self {
        let buffer = array.buffer.as_ref().expect("an array has been given room").0.get();
        // SAFETY: OpenCL copies what is given, and refuses what has not the size of the parameter. Nothing uses it
        // before the launch, and the array lives until then.
        self.argument(|kernel, index| unsafe { kernel.set_arg(index, &buffer) })
    }

    pub(super) fn number(self, number: usize) -> Self {
        let number = u32::try_from(number).expect("sizes on a device fit 32 bits");
        // SAFETY: as for an array.
        self.argument(|kernel, index| unsafe { kernel.set_arg(index, &number) })
    }

    /// Gives the kernel this many bytes of local memory.
    pub(super) fn local(self, bytes: usize) -> Self {
        // SAFETY: as for an array.
        self.argument(|kernel, index| unsafe { kernel.set_arg_local_buffer(index, bytes) })
    }

    /// Gives the command to run the kernel on these numbers of work-groups.
    ///
    /// # Safety
    /// All arguments were given, and they are those of the kernel's parameters, in their order. The arrays are as long
    /// as the kernel reads and writes, as `sweep.cl` says.
    pub(super) unsafe fn run(self, groups: [usize; 3]) -> Result<(), StopReason> {
        self.set.map_err(|error| self.queue.device.failed("take an argument", &error))?;
        let sizes = [THREADS * groups[0], groups[1], groups[2]];
        let group = [THREADS, 1, 1];
        // SAFETY: the sizes are read before the call returns. The caller answers for the rest, and OpenCL keeps the
        // memory of the arguments until the command is done.
        let command = unsafe {
            let (sizes, group) = (sizes.as_ptr(), group.as_ptr());
            self.queue.commands.0.enqueue_nd_range_kernel(self.kernel.get(), 3, null(), sizes, group, &[])
        };
        self.queue.give(command, &format!("run {:?}", self.name))
    }
}

/// Numbers in the memory of a device.
#[derive(Debug, Default)]
pub(super) struct Array<T> {
    /// `None` until the array is given room.
    buffer: Option<DeviceHandle<Buffer<T>>>,
    length: usize,
}

impl<T: Copy + Default> Array<T> {
    /// Returns an array with these numbers.
    pub(super) fn new(queue: &Queue, numbers: &[T]) -> Result<Self, StopReason> {
        let mut array = Self::default();
        array.write(queue, numbers)?;
        Ok(array)
    }

    /// Gives the array room for `length` numbers. If the array is too short, its numbers are lost.
    pub(super) fn grow_to(&mut self, queue: &Queue, length: usize) -> Result<(), StopReason> {
        if self.buffer.is_none() || self.length < length {
            self.buffer = None;
            let length = (length + length / 8).max(1);
            // SAFETY: there is no memory of the host to be used.
            let buffer = unsafe { Buffer::create(&queue.device.context.0, CL_MEM_READ_WRITE, length, null_mut()) };
            let buffer = buffer.map_err(|error| queue.device.failed("give memory", &error))?;
            self.buffer = Some(DeviceHandle::new(buffer));
            self.length = length;
        }
        Ok(())
    }

    /// Writes numbers to the beginning of the array.
    pub(super) fn write(&mut self, queue: &Queue, numbers: &[T]) -> Result<(), StopReason> {
        self.grow_to(queue, numbers.len())?;
        let Some(buffer) = self.buffer.as_mut().filter(|_| !numbers.is_empty()) else { return Ok(()) };
        // SAFETY: the array is long enough, and the call returns when the numbers are copied.
        let written = unsafe { queue.commands.0.enqueue_write_buffer(&mut buffer.0, CL_BLOCKING, 0, numbers, &[]) };
        queue.give(written, "take data")
    }

    /// Fills the beginning of the array with one number.
    pub(super) fn fill(&mut self, queue: &Queue, length: usize, number: T) -> Result<(), StopReason> {
        self.grow_to(queue, length)?;
        let Some(buffer) = self.buffer.as_mut().filter(|_| length > 0) else { return Ok(()) };
        let bytes = length * size_of::<T>();
        // SAFETY: the array is long enough, and the size of a number is a power of two.
        let filled = unsafe { queue.commands.0.enqueue_fill_buffer(&mut buffer.0, &[number], 0, bytes, &[]) };
        queue.give(filled, "fill memory")
    }
}

impl Array<u64> {
    /// Reads numbers from the beginning of the array when all earlier commands are done, and checks that these
    /// succeeded.
    pub(super) fn read(&self, queue: &Queue, numbers: &mut [u64]) -> Result<(), StopReason> {
        let buffer = self.buffer.as_ref().filter(|_| numbers.len() <= self.length).expect("the array is long enough");
        // SAFETY: the array is long enough, every bit pattern is a number, and the call returns when all are copied.
        let read = unsafe { queue.commands.0.enqueue_read_buffer(&buffer.0, CL_BLOCKING, 0, numbers, &[]) };
        queue.give(read, "count")?;
        queue.check()
    }
}
