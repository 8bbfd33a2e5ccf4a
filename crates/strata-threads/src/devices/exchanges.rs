//! What objects call to exchange values with other devices.

use std::{ffi::c_void, ptr, slice};

use strata_abi::Collective;

use super::{Device, Place, Subject};

/// Elements that are combined at a time: the partial results stay in the first-level cache.
const BLOCK: usize = 1024;

/// An exchange as the object describes it.
#[derive(Clone, Copy)]
struct Request<'a> {
    device: &'a Device,
    what: &'a Collective,
    operation: &'static str,
    starts: &'a [i64],
    members: &'a [i64],
    /// Bytes of an element.
    size: usize,
    count: usize,
}

impl<'a> Request<'a> {
    /// # Safety
    /// `context` is a [`Device`], `what` a constant of an object.
    unsafe fn read(
        operation: &'static str,
        context: *mut c_void,
        what: *const Collective,
        count: i64,
    ) -> Self {
        // SAFETY: as the caller promises; the tables have the lengths that the structure says.
        unsafe {
            let (device, what) = (&*context.cast::<Device>(), &*what);
            let groups = usize::try_from(what.group_count).unwrap_or(0);
            let starts = slice::from_raw_parts(what.group_starts, groups + 1);
            let members = match starts[groups] {
                0 => &[][..],
                length => slice::from_raw_parts(what.members, length as usize),
            };
            let size = usize::try_from(what.element_size).unwrap_or(0);
            let count = usize::try_from(count).unwrap_or(0);
            Self { device, what, operation, starts, members, size, count }
        }
    }

    fn groups(&self) -> impl Iterator<Item = &'a [i64]> {
        let members = self.members;
        self.starts.windows(2).map(move |ends| &members[ends[0] as usize..ends[1] as usize])
    }

    /// The number of members of a group, which is the same for all where there are parts.
    fn member_count(&self) -> usize {
        self.groups().next().map_or(0, <[i64]>::len)
    }

    /// The number of the device as the object has it.
    fn number(&self) -> i64 {
        self.device.number as i64
    }

    fn subject(&self) -> Subject {
        Subject {
            program: self.what.program,
            operation: self.operation,
            bytes: self.count * self.size,
            element: self.what.element_type,
        }
    }

    /// Meets the group of this device; without one the `zeros` bytes of the output are 0.
    fn meet(
        &self,
        input: *const c_void,
        output: *mut c_void,
        zeros: usize,
        work: impl FnOnce(usize, &[Place]),
    ) -> i32 {
        let group = self.groups().find(|group| group.contains(&self.number()));
        self.meet_of(group, input, output, zeros, work)
    }

    fn meet_of(
        &self,
        group: Option<&[i64]>,
        input: *const c_void,
        output: *mut c_void,
        zeros: usize,
        work: impl FnOnce(usize, &[Place]),
    ) -> i32 {
        let Some(group) = group else {
            // SAFETY: the output has as many bytes.
            unsafe { ptr::write_bytes(output.cast::<u8>(), 0, zeros) };
            return 0;
        };
        let mine = Place { input: input.cast(), output: output.cast() };
        let met = self.device.meet(group, self.subject(), self.what.channel, mine, work);
        met.err().unwrap_or(0)
    }

    /// Combines elements `begin` to `end` of all inputs, each `offset` bytes on, into `result`, in the order of the group.
    ///
    /// # Safety
    /// The buffers have these elements, and only this thread writes those of `result`.
    unsafe fn combine(&self, places: &[Place], offset: usize, result: *mut u8, range: [usize; 2]) {
        let (Some(combine), [first, others @ ..]) = (self.what.combine, places) else { return };
        let [begin, end] = range;
        for block in (begin..end).step_by(BLOCK) {
            let length = BLOCK.min(end - block);
            let at = block * self.size;
            // SAFETY: as the caller promises.
            unsafe {
                let result = result.add(at);
                let input = |place: &Place| place.input.add(offset + at);
                match others {
                    [] => ptr::copy_nonoverlapping(input(first), result, length * self.size),
                    [second, rest @ ..] => {
                        let length = length as i64;
                        let value = |place: &Place| input(place).cast::<c_void>();
                        combine(value(first), value(second), result.cast(), length);
                        for place in rest {
                            combine(result.cast(), value(place), result.cast(), length);
                        }
                    }
                }
            }
        }
    }
}

/// # Safety
/// As `strata_collectives` says: `context` is a [`Device`], the buffers have the elements that `what` and `count` say.
pub(super) unsafe extern "C" fn all_reduce(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read("all_reduce", context, what, count) };
    let (count, size) = (request.count, request.size);
    request.meet(input, output, count * size, |position, places| {
        // Each member computes a share of the results, for all.
        let share = |member: usize| member * count / places.len();
        let (begin, end) = (share(position), share(position + 1));
        for block in (begin..end).step_by(BLOCK) {
            let (at, length) = (block * size, BLOCK.min(end - block));
            let mine = places[position].output;
            // SAFETY: shares do not overlap, and all members have the same number of elements.
            unsafe {
                request.combine(places, 0, mine, [block, block + length]);
                for (member, place) in places.iter().enumerate() {
                    if member != position {
                        ptr::copy_nonoverlapping(mine.add(at), place.output.add(at), length * size);
                    }
                }
            }
        }
    })
}

/// # Safety
/// As [`all_reduce`].
pub(super) unsafe extern "C" fn all_gather(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read("all_gather", context, what, count) };
    let bytes = request.count * request.size;
    let members = request.member_count();
    request.meet(input, output, members * bytes, |position, places| {
        let mine = places[position].output;
        for (member, place) in places.iter().enumerate() {
            // SAFETY: the output has a part for each member.
            unsafe { ptr::copy_nonoverlapping(place.input, mine.add(member * bytes), bytes) };
        }
    })
}

/// # Safety
/// As [`all_reduce`].
pub(super) unsafe extern "C" fn reduce_scatter(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read("reduce_scatter", context, what, count) };
    let bytes = request.count * request.size;
    request.meet(input, output, bytes, |position, places| {
        let mine = places[position].output;
        // SAFETY: the inputs have a part for each member, and this thread alone writes its output.
        unsafe { request.combine(places, position * bytes, mine, [0, request.count]) };
    })
}

/// # Safety
/// As [`all_reduce`].
pub(super) unsafe extern "C" fn all_to_all(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read("all_to_all", context, what, count) };
    let bytes = request.count * request.size;
    let members = request.member_count();
    request.meet(input, output, members * bytes, |position, places| {
        let mine = places[position].output;
        for (member, place) in places.iter().enumerate() {
            // SAFETY: inputs and output have a part for each member.
            unsafe {
                let part = place.input.add(position * bytes);
                ptr::copy_nonoverlapping(part, mine.add(member * bytes), bytes);
            }
        }
    })
}

/// # Safety
/// As [`all_reduce`].
pub(super) unsafe extern "C" fn collective_broadcast(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read("collective_broadcast", context, what, count) };
    let bytes = request.count * request.size;
    request.meet(input, output, bytes, |position, places| {
        // SAFETY: all have the same number of elements.
        unsafe { ptr::copy_nonoverlapping(places[0].input, places[position].output, bytes) };
    })
}

/// # Safety
/// As [`all_reduce`].
pub(super) unsafe extern "C" fn collective_permute(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read("collective_permute", context, what, count) };
    let bytes = request.count * request.size;
    // A device can be the source of one pair and the target of another: all that pairs connect meet at once.
    let me = request.number();
    let mut group = vec![me];
    loop {
        let known = group.len();
        for pair in request.groups() {
            if pair.iter().any(|member| group.contains(member)) {
                let new = pair.iter().filter(|member| !group.contains(member));
                group.extend(new.copied().collect::<Vec<_>>());
            }
        }
        if group.len() == known {
            break;
        }
    }
    group.sort_unstable();
    let source = request.groups().find(|pair| pair.last() == Some(&me));
    let source = source.and_then(|pair| group.iter().position(|member| *member == pair[0]));
    let takes_part = request.groups().any(|pair| pair.contains(&me));
    let group = takes_part.then_some(&group[..]);
    request.meet_of(group, input, output, bytes, |position, places| {
        let mine = places[position].output;
        // SAFETY: all have the same number of elements.
        unsafe {
            match source {
                Some(source) => ptr::copy_nonoverlapping(places[source].input, mine, bytes),
                None => ptr::write_bytes(mine, 0, bytes),
            }
        }
    })
}

/// # Safety
/// As [`all_reduce`], without an output.
pub(super) unsafe extern "C" fn send(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    data: *const c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read("send", context, what, count) };
    let bytes = request.count * request.size;
    let data = match bytes {
        0 => &[][..],
        // SAFETY: the buffer has as many bytes.
        _ => unsafe { slice::from_raw_parts(data.cast::<u8>(), bytes) },
    };
    let (device, me) = (request.device, request.number());
    let sent = device.alone("send", || {
        for pair in request.groups().filter(|pair| pair.first() == Some(&me)) {
            let [_, target] = *pair else { continue };
            device.send(target as usize, request.what.channel, request.subject(), data.to_vec())?;
        }
        Ok(())
    });
    sent.err().unwrap_or(0)
}

/// # Safety
/// As [`all_reduce`], without an input.
pub(super) unsafe extern "C" fn recv(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    data: *mut c_void,
) -> i32 {
    // SAFETY: as the caller promises.
    let request = unsafe { Request::read("recv", context, what, count) };
    let bytes = request.count * request.size;
    let (device, me) = (request.device, request.number());
    let Some(pair) = request.groups().find(|pair| pair.last() == Some(&me)) else {
        // SAFETY: the buffer has as many bytes.
        unsafe { ptr::write_bytes(data.cast::<u8>(), 0, bytes) };
        return 0;
    };
    let received = device.alone("recv", || {
        device.receive(pair[0] as usize, request.what.channel, &request.subject())
    });
    match received {
        // SAFETY: the message has as many bytes as the buffer.
        Ok(message) => unsafe {
            ptr::copy_nonoverlapping(message.as_ptr(), data.cast(), bytes.min(message.len()));
            0
        },
        Err(status) => status,
    }
}
