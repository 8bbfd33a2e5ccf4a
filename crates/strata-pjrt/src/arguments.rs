//! The arguments of a call, which it takes if they are donated.

use std::{ptr, sync::Arc};

use crate::{
    abi::Handle,
    buffer::{Buffer, Contents, described},
    client::Shared,
    failure::Failure,
    program::Program,
};

/// The tensors among the arguments of a call, and whether each is donated.
pub struct Arguments {
    /// Their bytes.
    pub contents: Vec<Arc<Contents>>,
    /// Whether each is donated.
    pub donated: Vec<bool>,
}

impl Arguments {
    /// Takes what is donated, and nothing if an argument is wrong.
    ///
    /// # Errors
    /// For arguments that are not those of the program.
    pub fn take(
        (client, program): (&Arc<Shared>, &Program),
        device: usize,
        handles: &[Handle<Buffer>],
        kept: &[i64],
    ) -> Result<Self, Failure> {
        let (inputs, [tokens, _]) = (&program.saved.signature.inputs, &program.saved.tokens);
        if handles.len() != tokens.len() {
            let (given, wanted) = (handles.len(), tokens.len());
            let message = format!("the program takes {wanted} arguments, but there are {given}");
            return Err(Failure::invalid(message));
        }
        // Where the tensors are among the arguments.
        let places: Vec<usize> = (0..tokens.len()).filter(|&at| !tokens[at]).collect();
        let buffers: Vec<&Buffer> =
            places.iter().map(|&at| handles[at].get()).collect::<Result<_, _>>()?;
        let orders = &program.saved.layouts[0];
        for (((at, buffer), spec), order) in places.iter().zip(&buffers).zip(inputs).zip(orders) {
            if !buffer.fits(client, spec, order) {
                let (given, wanted) = (buffer.describe(), described(spec, order));
                let message =
                    format!("argument {at} is a `{given}`, but the program takes `{wanted}`");
                return Err(Failure::invalid(message));
            }
            if buffer.device() != device {
                let other = buffer.device();
                let message =
                    format!("argument {at} is on device {other}, but the program runs on {device}");
                return Err(Failure::invalid(message));
            }
        }
        let is_donated =
            |at: usize| program.saved.donors[at] && !kept.contains(&(places[at] as i64));
        let donated: Vec<bool> = (0..buffers.len()).map(is_donated).collect();
        for at in (0..buffers.len()).filter(|&at| donated[at]) {
            let is_same = |other: usize| other != at && ptr::eq(buffers[other], buffers[at]);
            if let Some(other) = (0..buffers.len()).find(|&other| is_same(other)) {
                let (at, other) = (places[at], places[other]);
                let message = format!("argument {at} is donated, but argument {other} is the same");
                return Err(Failure::invalid(message));
            }
        }
        let mut taken: Vec<Arc<Contents>> = Vec::with_capacity(buffers.len());
        for (at, buffer) in buffers.iter().enumerate() {
            let found = if donated[at] { buffer.take() } else { buffer.contents() };
            let Ok(contents) = found else {
                let earlier = buffers.iter().zip(taken).zip(&donated);
                for ((buffer, contents), _) in earlier.filter(|(_, is_donated)| **is_donated) {
                    buffer.put_back(contents);
                }
                let place = places[at];
                let message = format!("argument {place}: the buffer was deleted or donated");
                return Err(Failure::invalid(message));
            };
            taken.push(contents);
        }
        Ok(Self { contents: taken, donated })
    }

    /// Gives the buffers back what was donated.
    pub fn put_back(&self, program: &Program, handles: &[Handle<Buffer>]) {
        let tensors =
            handles.iter().zip(&program.saved.tokens[0]).filter(|(_, is_token)| !**is_token);
        let all = tensors.zip(&self.contents).zip(&self.donated);
        for (((handle, _), contents), _) in all.filter(|(_, is_donated)| **is_donated) {
            if let Ok(buffer) = handle.get() {
                buffer.put_back(Arc::clone(contents));
            }
        }
    }
}
