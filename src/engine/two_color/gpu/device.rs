//! `OpenCL`: the devices, their memory, and the kernels of `sweep.cl`.

#![allow(unsafe_code)]

use crate::engine::DeviceFailed;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{self as opencl, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::ClError;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::panic::resume_unwind;
use std::ptr::null_mut;
use std::sync::Arc;

/// A part of the name of the devices to be used, of whatever type; without it all GPUs are.
const VARIABLE: &str = "NQUEENS_OPENCL_DEVICE";

/// The threads of a work-group, as `sweep.cl` has them.
pub(super) const THREADS: usize = 256;

/// The local memory of a work-group that `sweep` takes beside its square table, in bytes.
const LOCAL: usize = 5 << 10;

/// A device with the kernels built for it.
pub(super) struct Device {
    pub(super) name: String,
    /// The size of its memory, in bytes.
    pub(super) memory: u64,
    /// The local memory that the square table of a work-group may take, in bytes.
    pub(super) local: usize,
    context: Context,
    /// With SPARSE, and with DENSE.
    programs: [Program; 2],
}

impl Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Device {
    /// All GPUs, or the devices that the environment names.
    ///
    /// # Errors
    /// Says why there are none, and what would be right.
    pub(super) fn all() -> Result<Vec<Arc<Self>>, String> {
        let platforms = get_platforms()
            .map_err(|_| "there is no OpenCL driver; install the driver of the GPU, with its OpenCL part".to_owned())?;
        let wanted = std::env::var(VARIABLE).ok();
        let kind = if wanted.is_some() { CL_DEVICE_TYPE_ALL } else { CL_DEVICE_TYPE_GPU };
        let mut devices = Vec::new();
        for id in platforms.iter().flat_map(|platform| platform.get_devices(kind).unwrap_or_default()) {
            let device = opencl::Device::new(id);
            let name = device.name().map_err(|error| format!("a device does not tell its name: {error}"))?;
            if wanted.as_ref().is_none_or(|wanted| name.contains(wanted)) {
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
        let failed = |error: ClError| format!("device {name} cannot be used: {error}");
        let context = Context::from_device(&device).map_err(failed)?;
        let build = |colour: &str| {
            let options = format!("-cl-std=CL1.2 -D {colour}");
            Program::create_and_build_from_source(&context, include_str!("sweep.cl"), &options)
                .map_err(|log| format!("the compiler of device {name} does not build the kernels: {log}"))
        };
        let programs = [build("SPARSE")?, build("DENSE")?];
        let local = (device.local_mem_size().map_err(failed)? as usize).saturating_sub(LOCAL);
        let memory = device.global_mem_size().map_err(failed)?;
        Ok(Self { name, memory, local, context, programs })
    }

    /// Unwinds with an error of the device.
    fn failed(&self, doing: &str, error: &ClError) -> ! {
        let message = format!(
            "device {} failed to {doing}: {error}; if its memory is too small, give fewer --threads",
            self.name
        );
        resume_unwind(Box::new(DeviceFailed(message)))
    }
}

/// The commands that one thread gives to a device, one after another.
pub(super) struct Queue {
    pub(super) device: Arc<Device>,
    commands: CommandQueue,
    find_visited: Kernel,
    /// Of the sparse colour and of the dense one.
    sweep: [Kernel; 2],
    transpose: Kernel,
}

impl Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.device.fmt(f)
    }
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
    pub(super) fn new(device: Arc<Device>) -> Self {
        let kernel = |program, name| {
            Kernel::create(program, name).unwrap_or_else(|error| device.failed("make a kernel", &error))
        };
        let [sparse, dense] = &device.programs;
        let find_visited = kernel(sparse, "find_visited");
        let sweep = [kernel(sparse, "sweep"), kernel(dense, "sweep")];
        let transpose = kernel(sparse, "transpose");
        let commands = CommandQueue::create_default(&device.context, 0)
            .unwrap_or_else(|error| device.failed("take commands", &error));
        Self { device, commands, find_visited, sweep, transpose }
    }

    /// Begins a launch of a kernel, which takes its arguments in the order of its parameters.
    pub(super) fn launch(&self, name: Name) -> Launch<'_> {
        let kernel = match name {
            Name::FindVisited => &self.find_visited,
            Name::SweepSparse => &self.sweep[0],
            Name::SweepDense => &self.sweep[1],
            Name::Transpose => &self.transpose,
        };
        Launch { queue: self, name, kernel: ExecuteKernel::new(kernel) }
    }
}

/// A kernel with its arguments.
pub(super) struct Launch<'a> {
    queue: &'a Queue,
    name: Name,
    kernel: ExecuteKernel<'a>,
}

impl Launch<'_> {
    pub(super) fn array<T>(mut self, array: &Array<T>) -> Self {
        let buffer = array.buffer.as_ref().expect("an array has been given room");
        // SAFETY: the parameter is a pointer to memory of the device; the launches are in `mod.rs`, one for each kernel.
        unsafe { self.kernel.set_arg(buffer) };
        self
    }

    pub(super) fn number(mut self, number: usize) -> Self {
        // SAFETY: the parameter is a `uint`, of 32 bits on every device.
        unsafe { self.kernel.set_arg(&u32::try_from(number).expect("sizes on a device fit 32 bits")) };
        self
    }

    /// So many bytes of local memory.
    pub(super) fn local(mut self, bytes: usize) -> Self {
        // SAFETY: the parameter is a pointer to local memory.
        unsafe { self.kernel.set_arg_local_buffer(bytes) };
        self
    }

    /// Gives the command to run so many work-groups.
    pub(super) fn run(mut self, groups: [usize; 3]) {
        self.kernel.set_global_work_sizes(&[THREADS * groups[0], groups[1], groups[2]]);
        self.kernel.set_local_work_sizes(&[THREADS, 1, 1]);
        // SAFETY: all arguments are set, in order, and OpenCL keeps their memory until the command is done. The kernel stays
        // in the bounds of its arrays, whose lengths are those of the tables that it walks through.
        let launched = unsafe { self.kernel.enqueue_nd_range(&self.queue.commands) };
        launched.unwrap_or_else(|error| self.queue.device.failed(&format!("run {:?}", self.name), &error));
    }
}

/// Numbers in the memory of a device.
pub(super) struct Array<T> {
    /// `None` until it is given room.
    buffer: Option<Buffer<T>>,
    length: usize,
    numbers: PhantomData<T>,
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Self { buffer: None, length: 0, numbers: PhantomData }
    }
}

impl<T> Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} numbers", self.length)
    }
}

impl<T: Copy> Array<T> {
    /// An array with these numbers.
    pub(super) fn of(queue: &Queue, numbers: &[T]) -> Self {
        let mut array = Self::default();
        array.write(queue, numbers);
        array
    }

    /// Gives it room for so many numbers, whatever they are. An array that is too short is thrown away.
    pub(super) fn reach(&mut self, queue: &Queue, length: usize) {
        if self.buffer.is_none() || self.length < length {
            self.buffer = None;
            let length = (length + length / 8).max(1);
            // SAFETY: there is no memory of the host to be used.
            let buffer = unsafe { Buffer::create(&queue.device.context, CL_MEM_READ_WRITE, length, null_mut()) };
            self.buffer = Some(buffer.unwrap_or_else(|error| queue.device.failed("give memory", &error)));
            self.length = length;
        }
    }

    /// Writes numbers to its beginning.
    pub(super) fn write(&mut self, queue: &Queue, numbers: &[T]) {
        self.reach(queue, numbers.len());
        let Some(buffer) = self.buffer.as_mut().filter(|_| !numbers.is_empty()) else { return };
        // SAFETY: the array is long enough, and the call returns when the numbers are copied.
        let written = unsafe { queue.commands.enqueue_write_buffer(buffer, CL_BLOCKING, 0, numbers, &[]) };
        written.unwrap_or_else(|error| queue.device.failed("take data", &error));
    }

    /// Fills its beginning with one number.
    pub(super) fn fill(&mut self, queue: &Queue, length: usize, number: T) {
        self.reach(queue, length);
        let Some(buffer) = self.buffer.as_mut().filter(|_| length > 0) else { return };
        // SAFETY: the array is long enough, and the size of a number is a power of two.
        let filled = unsafe { queue.commands.enqueue_fill_buffer(buffer, &[number], 0, length * size_of::<T>(), &[]) };
        filled.unwrap_or_else(|error| queue.device.failed("fill memory", &error));
    }

    /// Reads numbers from its beginning, when all commands before are done.
    pub(super) fn read(&self, queue: &Queue, numbers: &mut [T]) {
        let buffer = self.buffer.as_ref().filter(|_| numbers.len() <= self.length).expect("the array is long enough");
        // SAFETY: the array is long enough, every bit pattern is a number, and the call returns when all are copied.
        let read = unsafe { queue.commands.enqueue_read_buffer(buffer, CL_BLOCKING, 0, numbers, &[]) };
        read.unwrap_or_else(|error| queue.device.failed("count", &error));
    }
}
