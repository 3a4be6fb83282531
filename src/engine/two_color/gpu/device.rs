//! An opened device: its memory, its queues, and the kernels of `sweep.cl`.

#![allow(unsafe_code)]

use super::find::Found;
use crate::cancel::Cancel;
use crate::engine::StopReason;
use crate::engine::device::Device;
use crate::engine::two_color::tuples::MOST_HALF_LINES;
use opencl3::command_queue::{self, CommandQueue};
use opencl3::context::{Context, context};
use opencl3::device as opencl;
use opencl3::error_codes::ClError;
use opencl3::event::{self, CL_COMPLETE, Event};
use opencl3::kernel::{self, Kernel};
use opencl3::memory::{self, Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::program::{self, Program};
use opencl3::types::{CL_BLOCKING, cl_device_id, cl_int, cl_mem};
use std::cell::RefCell;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The number of threads of a work-group, as in `sweep.cl`.
pub(super) const THREADS: usize = 256;

/// The bytes of an entry of the one-row table, and of the bits of diagonal masks from which the table is made.
pub(super) const ENTRY: usize = 256;
pub(super) const DIAGONAL_BITS: usize = 56 * ENTRY;

/// The number of slots of a panel that was measured best on an NVIDIA H200.
pub(super) const PANEL: usize = 512;

/// The fewest entries of a one-row table: those of the squares of three rows.
const FEWEST_SQUARES: usize = 1 + 3 * MOST_HALF_LINES;

/// Returns the most entries that a one-row table can have in this much local memory; `None` if these are too few.
pub(super) fn squares_in(local_memory: u64) -> Option<usize> {
    let squares = (local_memory as usize).saturating_sub(LOCAL + DIAGONAL_BITS) / ENTRY;
    (squares >= FEWEST_SQUARES).then_some(squares)
}

/// The bytes of local memory that `sweep` takes in addition for a work-group: it declares 5.1 KiB.
const LOCAL: usize = 6 << 10;

/// A handle that the system gives and takes back. If the device is lost, the system may refuse to take the handle back,
/// for which `opencl3` would panic. Nothing can be done then, so the refusal is ignored.
#[derive(Debug)]
struct DeviceHandle<T>(ManuallyDrop<T>, Get<T>, Release);

/// Returns the handle as the system knows it.
type Get<T> = fn(&T) -> *mut c_void;

/// Gives a handle of one kind back to the system.
type Release = unsafe fn(*mut c_void) -> Result<(), cl_int>;

impl<T> DeviceHandle<T> {
    /// Takes a handle, and the functions for its kind.
    fn new(handle: T, get: Get<T>, release: Release) -> Self {
        Self(ManuallyDrop::new(handle), get, release)
    }
}

impl<T> Drop for DeviceHandle<T> {
    fn drop(&mut self) {
        // SAFETY: the handle is valid, of the kind that the function takes, and is not used again.
        let _ = unsafe { (self.2)((self.1)(&self.0)) };
    }
}

/// A device with the kernels built for it.
#[derive(Debug)]
pub(super) struct OpenDevice {
    pub(super) device: Device,
    /// The number of slots of a panel: a multiple of 32.
    pub(super) panel: usize,
    /// The most entries of a one-row table.
    pub(super) squares: usize,
    context: DeviceHandle<Context>,
    /// The kernels built with SPARSE, and with DENSE.
    programs: [DeviceHandle<Program>; 2],
    /// True if a command has failed, because the device may be lost, or the device has counted wrong. It is then not
    /// used again without a check.
    pub(super) has_failed: AtomicBool,
}

impl OpenDevice {
    /// Opens a device, whose panels have this many slots.
    ///
    /// # Errors
    /// The error says why the device cannot be used.
    pub(super) fn new(found: &Found, panel: usize) -> Result<Self, String> {
        let (device, handle) = (found.device.clone(), opencl::Device::new(found.handle as cl_device_id));
        let failed = |error: ClError| format!("its driver says {error}");
        let squares =
            squares_in(handle.local_mem_size().map_err(failed)?).ok_or("it has less than 32 KiB of local memory")?;
        let context = Context::from_device(&handle).map_err(failed)?;
        let context = DeviceHandle::new(context, Context::get, context::release_context);
        // Threads of a team exchange values by instructions that NVIDIA's GPUs have from Volta on.
        let in_step =
            if handle.compute_capability_major_nv().is_ok_and(|major| major >= 7) { "-D IN_STEP" } else { "" };
        let build = |colour: &str| {
            let options = format!("-cl-std=CL1.2 -D {colour} -D PANEL={panel} {in_step}");
            let program = Program::create_from_source(&context.0, include_str!("sweep.cl")).map_err(failed)?;
            // From here on, a failure drops the handle.
            let mut program = DeviceHandle::new(program, Program::get, program::release_program);
            program.0.build(&[handle.id()], &options).map_err(|error| {
                let log = program.0.get_build_log(handle.id()).unwrap_or_default();
                format!("its compiler does not build the kernels: {error} {}", log.trim())
            })?;
            Ok::<_, String>(program)
        };
        let programs = [build("SPARSE")?, build("DENSE")?];
        Ok(Self { device, panel, squares, context, programs, has_failed: AtomicBool::default() })
    }

    /// Returns the error for a command that failed, after which the device is not used again.
    fn failed(&self, doing: &str, error: &ClError) -> StopReason {
        self.has_failed.store(true, Ordering::Relaxed);
        let message = format!(
            "device {}, {}, failed to {doing}: {error}; if its memory is too small, give fewer --threads",
            self.device.number, self.device.name
        );
        StopReason::Device { message, is_wrong: false }
    }
}

/// The commands that one thread gives to a device, one after another.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) device: Arc<OpenDevice>,
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

/// An argument of a kernel.
pub(super) enum Argument {
    Array(cl_mem),
    Number(usize),
    /// The numbers of a sweep, in the order of the struct in `sweep.cl`.
    Sizes([[usize; 4]; 3]),
    /// The number of bytes of local memory.
    Local(usize),
}

impl Queue {
    pub(super) fn new(device: Arc<OpenDevice>) -> Result<Self, StopReason> {
        let [sparse, dense] = &device.programs;
        let kernel = |program: &Program, name| {
            let kernel = Kernel::create(program, name).map_err(|error| device.failed("make a kernel", &error))?;
            Ok::<_, StopReason>(DeviceHandle::new(kernel, Kernel::get, kernel::release_kernel))
        };
        // The order is that of `Name`.
        let kernels = [
            kernel(&sparse.0, "find_visited")?,
            kernel(&sparse.0, "sweep")?,
            kernel(&dense.0, "sweep")?,
            kernel(&sparse.0, "transpose")?,
        ];
        let commands = CommandQueue::create_default(&device.context.0, 0);
        let commands = commands.map_err(|error| device.failed("take commands", &error))?;
        let commands = DeviceHandle::new(commands, CommandQueue::get, command_queue::release_command_queue);
        Ok(Self { commands, kernels, given: RefCell::default(), device })
    }

    /// Gives the command to run a kernel on these numbers of work-groups.
    ///
    /// # Safety
    /// The arguments are those of the kernel's parameters, in their order. The arrays are as long as the kernel reads
    /// and writes, as `sweep.cl` says.
    pub(super) unsafe fn run(&self, name: Name, arguments: &[Argument], groups: [usize; 3]) -> Result<(), StopReason> {
        let kernel = &self.kernels[name as usize].0;
        for (index, argument) in (0..).zip(arguments) {
            // SAFETY: OpenCL copies what is given, and refuses what has not the size of the parameter. Nothing uses it
            // before the launch, and the arrays live until then.
            let set = unsafe {
                match argument {
                    Argument::Array(memory) => kernel.set_arg(index, memory),
                    Argument::Number(number) => kernel.set_arg(index, &number_on_device(*number)),
                    Argument::Sizes(sizes) => kernel.set_arg(index, &sizes.map(|sizes| sizes.map(number_on_device))),
                    Argument::Local(bytes) => kernel.set_arg_local_buffer(index, *bytes),
                }
            };
            set.map_err(|error| self.device.failed("take an argument", &error))?;
        }
        let (sizes, group) = ([THREADS * groups[0], groups[1], groups[2]], [THREADS, 1, 1]);
        // SAFETY: the sizes are read before the call returns. The caller answers for the rest, and OpenCL keeps the
        // memory of the arguments until the command is done.
        let command = unsafe {
            let (sizes, group) = (sizes.as_ptr(), group.as_ptr());
            self.commands.0.enqueue_nd_range_kernel(kernel.get(), 3, null(), sizes, group, &[])
        };
        self.give(command, &format!("run {name:?}"))
    }

    fn give(&self, command: Result<Event, ClError>, doing: &str) -> Result<(), StopReason> {
        let event = command.map_err(|error| self.device.failed(doing, &error))?;
        self.given.borrow_mut().push(DeviceHandle::new(event, Event::get, event::release_event));
        Ok(())
    }

    /// Waits until the commands given so far are done, and looks at `cancel` meanwhile: a driver's own functions would
    /// wait to the end. Checks that all succeeded.
    ///
    /// # Errors
    /// When a command failed, or `cancel` is set. The device may then still be at work.
    pub(super) fn wait(&self, cancel: &Cancel) -> Result<(), StopReason> {
        let failed = |error: ClError| self.device.failed("count", &error);
        // The events stay in place if the wait ends early, so that a later one checks them too.
        if let Some(DeviceHandle(last, ..)) = self.given.borrow().last() {
            self.commands.0.flush().map_err(failed)?;
            let start = Instant::now();
            while last.command_execution_status().map_err(failed)?.0 > CL_COMPLETE {
                cancel.check()?;
                // Most waits are shorter than the shortest sleep.
                let waited = start.elapsed();
                if waited < SHORT_WAIT {
                    thread::yield_now();
                } else {
                    thread::sleep((waited / 16).min(LONGEST_SLEEP));
                }
            }
        }
        for handle in self.given.borrow_mut().drain(..) {
            let event = &handle.0;
            // A driver may report that a command has ended only after it reports the end of the last one.
            let status = event.wait().and_then(|()| event.command_execution_status()).map_err(failed)?;
            if status.0 < CL_COMPLETE {
                return Err(failed(ClError(status.0)));
            }
        }
        Ok(())
    }
}

/// A wait up to this length does not sleep.
const SHORT_WAIT: Duration = Duration::from_micros(50);

/// The longest sleep of a thread that waits for a device.
const LONGEST_SLEEP: Duration = Duration::from_millis(2);

/// Returns a number as devices have it.
fn number_on_device(number: usize) -> u32 {
    u32::try_from(number).expect("sizes on a device fit 32 bits")
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
            self.buffer = Some(DeviceHandle::new(buffer, Buffer::get, memory::release_mem_object));
            self.length = length;
        }
        Ok(())
    }

    /// Returns the array as an argument of a kernel.
    pub(super) fn argument(&self) -> Argument {
        Argument::Array(self.buffer.as_ref().expect("an array has been given room").0.get())
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
    ///
    /// # Errors
    /// Returns an error if [`Queue::wait`] would.
    pub(super) fn read(&self, queue: &Queue, numbers: &mut [u64], cancel: &Cancel) -> Result<(), StopReason> {
        let buffer = self.buffer.as_ref().filter(|_| numbers.len() <= self.length).expect("the array is long enough");
        queue.wait(cancel)?;
        // SAFETY: the array is long enough, every bit pattern is a number, and the call returns when all are copied.
        let read = unsafe { queue.commands.0.enqueue_read_buffer(&buffer.0, CL_BLOCKING, 0, numbers, &[]) };
        queue.give(read, "count")?;
        queue.wait(cancel)
    }
}
