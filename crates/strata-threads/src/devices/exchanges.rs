//! What objects call to exchange values with other devices.

use std::{ffi::c_void, ptr, slice};

use strata_abi::{Collective, Ragged, WRONG_SIZES};

use super::{Device, Place, Subject, streams};

/// Bytes that are combined at a time: the partial results stay in the first-level cache.
const BLOCK: usize = 4096;

/// The most bytes of others that a member reads to compute a whole sum by itself. It writes nothing to their buffers then, which
/// takes longer than to read: two processors with caches of their own, two members, 64 KiB 17 to 7 µs, 384 KiB 99 to 36, 1 MiB 261 to 94.
const WHOLE: usize = 1 << 20;

/// Bytes of a result that is written past the caches, which hold less of it than is read next: `reduce_scatter` of two members to 8 MiB 0.80 to 0.65 ms, to 32 MiB 4.5 to 3.0,
/// to 2 MiB 0.11 to 0.15; `all_gather` to 16 MiB 4.8 to 2.5, to 64 MiB 14.4 to 11.5.
const STREAMED: usize = 8 << 20;

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

    /// Elements `begin` to `end` in blocks, with their offsets and sizes in bytes.
    fn blocks(&self, range: [usize; 2]) -> impl Iterator<Item = (usize, usize)> + use<> {
        let ([begin, end], size) = (range, self.size);
        let most = (BLOCK / size.max(1)).max(1);
        (begin..end).step_by(most).map(move |at| (at * size, most.min(end - at) * size))
    }

    /// Combines `bytes` of all inputs from `offset` on into `result`, in the order of the group.
    ///
    /// # Safety
    /// The buffers have these bytes, whole elements, and only this thread writes those of `result`.
    unsafe fn combine(&self, places: &[Place], offset: usize, result: *mut u8, bytes: usize) {
        let (Some(combine), [first, others @ ..]) = (self.what.combine, places) else { return };
        // SAFETY: as the caller promises.
        unsafe {
            let value = |place: &Place| place.input.add(offset).cast::<c_void>();
            let [second, rest @ ..] = others else {
                return ptr::copy_nonoverlapping(first.input.add(offset), result, bytes);
            };
            let length = (bytes / self.size) as i64;
            combine(value(first), value(second), result.cast(), length);
            for place in rest {
                combine(result.cast(), value(place), result.cast(), length);
            }
        }
    }
}

/// Copies a part of an output of `all` bytes, past the caches if that is large. [`streams::end`] comes after the last one.
///
/// # Safety
/// The buffers have `bytes` and do not overlap.
unsafe fn copy_part(from: *const u8, to: *mut u8, bytes: usize, all: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        match all < STREAMED {
            true => ptr::copy_nonoverlapping(from, to, bytes),
            false => streams::copy(from, to, bytes),
        }
    }
}

/// The results of one block, before they are written past the caches.
#[repr(align(64))]
struct Scratch([u8; BLOCK]);

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
        let mine = places[position].output;
        if (places.len() - 1).saturating_mul(count * size) <= WHOLE {
            for (at, bytes) in request.blocks([0, count]) {
                // SAFETY: this thread alone writes its output, and all members have the same number of elements.
                unsafe { request.combine(places, at, mine.add(at), bytes) };
            }
            return;
        }
        // Each member computes a share of the results, for all.
        let share = |member: usize| member * count / places.len();
        let mut scratch = Scratch([0; BLOCK]);
        for (at, bytes) in request.blocks([share(position), share(position + 1)]) {
            let result = scratch.0.as_mut_ptr();
            // SAFETY: shares do not overlap, and a block has at most as many bytes as the scratch.
            unsafe {
                request.combine(places, at, result, bytes);
                for place in places {
                    copy_part(result, place.output.add(at), bytes, count * size);
                }
            }
        }
        streams::end();
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
            unsafe { copy_part(place.input, mine.add(member * bytes), bytes, members * bytes) };
        }
        streams::end();
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
        let (mine, part) = (places[position].output, position * bytes);
        let mut scratch = Scratch([0; BLOCK]);
        for (at, length) in request.blocks([0, request.count]) {
            // SAFETY: the inputs have a part for each member, and this thread alone writes its output.
            unsafe {
                if bytes < STREAMED {
                    request.combine(places, part + at, mine.add(at), length);
                } else {
                    let result = scratch.0.as_mut_ptr();
                    request.combine(places, part + at, result, length);
                    streams::copy(result, mine.add(at), length);
                }
            }
        }
        streams::end();
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
                copy_part(part, mine.add(member * bytes), bytes, members * bytes);
            }
        }
        streams::end();
    })
}

/// The first of `count` entries of lists that names rows which are not there, in words.
///
/// # Safety
/// The lists have as many entries.
unsafe fn wrong_entry(rows: &Ragged, count: usize) -> Option<String> {
    (0..count).find_map(|entry| {
        // SAFETY: as the caller promises.
        let [from, sent, to] = unsafe {
            [rows.input_offsets, rows.send_sizes, rows.output_offsets].map(|list| *list.add(entry))
        };
        let fits = |first: i64, all: i64| first >= 0 && sent <= all.saturating_sub(first);
        let is_right = fits(from, rows.input_rows) && fits(to, rows.output_rows);
        let is_wrong = sent < 0 || sent > 0 && !is_right;
        is_wrong.then(|| {
            format!(
                "entry {entry} of its lists sends {sent} rows from row {from} on, of {}, to row {to} on, of {}",
                rows.input_rows, rows.output_rows
            )
        })
    })
}

/// Each member takes the rows that are for it, and no others, from those who have them.
///
/// # Safety
/// As [`all_reduce`]; `rows` says what there is.
pub(super) unsafe extern "C" fn ragged_all_to_all(
    context: *mut c_void,
    what: *const Collective,
    rows: *const Ragged,
) -> i32 {
    // SAFETY: as the caller promises.
    let (request, own) = unsafe {
        let count = (*rows).output_rows.saturating_mul((*rows).row_size);
        (Request::read("ragged_all_to_all", context, what, count), &*rows)
    };
    let width = usize::try_from(own.row_size).unwrap_or(0) * request.size;
    if let Some(group) = request.groups().find(|group| group.contains(&request.number())) {
        let entries = group.len() * usize::try_from(own.updates).unwrap_or(0);
        // SAFETY: lists have entries for each member.
        if let Some(reason) = unsafe { wrong_entry(own, entries) } {
            return request.device.fail(request.operation, WRONG_SIZES, &reason);
        }
    }
    // What members bring is the structure.
    request.meet(rows.cast(), own.output, 0, |position, places| {
        let mine = places[position].output;
        for place in places {
            // SAFETY: all members brought a structure that is theirs while they are in the meeting.
            let theirs = unsafe { &*place.input.cast::<Ragged>() };
            if theirs.row_size != own.row_size || theirs.output_rows != own.output_rows {
                continue;
            }
            let updates = usize::try_from(theirs.updates).unwrap_or(0);
            for entry in position * updates..(position + 1) * updates {
                // SAFETY: lists have entries for each member, and each device has looked at its own before it came: both sides have these rows.
                unsafe {
                    let [from, count, to] =
                        [theirs.input_offsets, theirs.send_sizes, theirs.output_offsets]
                            .map(|list| *list.add(entry));
                    if count > 0 {
                        let [from, count, to] = [from, count, to].map(|rows| rows as usize * width);
                        let source = theirs.input.cast::<u8>().add(from);
                        ptr::copy_nonoverlapping(source, mine.add(to), count);
                    }
                }
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
        unsafe { copy_part(places[0].input, places[position].output, bytes, bytes) };
        streams::end();
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
                Some(source) => copy_part(places[source].input, mine, bytes, bytes),
                None => ptr::write_bytes(mine, 0, bytes),
            }
        }
        streams::end();
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
