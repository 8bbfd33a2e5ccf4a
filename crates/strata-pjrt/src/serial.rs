//! Serialised executables: the object, what the C API is told of it, and what it depends on.
//!
//! ```text
//! "STRATAPJ"  format  digest of the rest  identity  name  fingerprint  costs  entry  inputs  outputs  donations  grid  assignment  shardings  layouts  donors  tokens  calls  object  source
//! ```
//! Numbers are of 64 bits, least significant byte first; texts and lists follow their length. An executable is loaded by the
//! build that made it, on a processor with the same name and features, alone: code is trusted as the client's own.

use std::sync::Arc;

use strata::{Cost, Signature, TensorSpec};

use crate::{
    element,
    failure::{Code, Failure},
    identity,
    layouts::Order,
    proto::Placed,
};

const MAGIC: &[u8] = b"STRATAPJ";
const FORMAT: u64 = 5;
/// Longer lists of sizes, values and pairs are a mistake.
const MOST: u64 = 1 << 20;

/// What is written of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// What it is called.
    pub name: String,
    /// A hash of the program.
    pub fingerprint: String,
    /// What it costs.
    pub cost: Cost,
    /// What it takes and returns.
    pub signature: Signature,
    /// Replicas and partitions of the program.
    pub grid: [usize; 2],
    /// `xla.OpSharding` for each argument, and for each result: none if all devices have whole values.
    pub shardings: [Vec<Vec<u8>>; 2],
    /// The layouts of the inputs and of the outputs.
    pub layouts: [Vec<Order>; 2],
    /// Whether the program says that an input is donated.
    pub donors: Vec<bool>,
    /// For each argument, and for each result, whether it is a token, which the signature does not have.
    pub tokens: [Vec<bool>; 2],
    /// Whether it calls functions of the client.
    pub calls_client: bool,
    /// The object.
    pub object: Vec<u8>,
    /// The program that it was compiled from, as the client gave it.
    pub source: Arc<[u8]>,
}

impl Saved {
    /// The bytes, for a library and a machine of that [identity](crate::identity::of), and for these devices.
    ///
    /// # Errors
    /// For types that PJRT does not have.
    pub fn write(&self, identity: &str, placed: &Placed) -> Result<Vec<u8>, Failure> {
        let mut body = Writer(Vec::new());
        body.bytes(identity.as_bytes());
        body.bytes(self.name.as_bytes());
        body.bytes(self.fingerprint.as_bytes());
        for number in [self.cost.flops, self.cost.transcendentals, self.cost.bytes] {
            body.number(number);
        }
        let signature = &self.signature;
        body.bytes(signature.entry.as_bytes());
        for all in [&signature.inputs, &signature.outputs] {
            body.number(all.len() as u64);
            for one in all {
                body.spec(one)?;
            }
        }
        body.number(signature.donations.len() as u64);
        for (output, input) in &signature.donations {
            body.number(*output as u64);
            body.number(*input as u64);
        }
        self.grid.iter().for_each(|count| body.number(*count as u64));
        body.bytes(&placed.write());
        for shardings in &self.shardings {
            body.number(shardings.len() as u64);
            shardings.iter().for_each(|sharding| body.bytes(sharding));
        }
        for layouts in &self.layouts {
            body.number(layouts.len() as u64);
            for order in layouts {
                let dimensions = order.dimensions();
                body.number(dimensions.len() as u64);
                dimensions.iter().for_each(|dimension| body.number(*dimension as u64));
            }
        }
        let [arguments, results] = &self.tokens;
        for flags in [&self.donors, arguments, results] {
            body.bytes(&flags.iter().map(|flag| u8::from(*flag)).collect::<Vec<_>>());
        }
        body.number(u64::from(self.calls_client));
        body.bytes(&self.object);
        body.bytes(&self.source);
        let mut whole = Writer(MAGIC.to_vec());
        whole.number(FORMAT);
        whole.bytes(identity::digest(&[&body.0]).as_bytes());
        whole.0.extend(body.0);
        Ok(whole.0)
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// For damaged bytes, and those of another build, processor or set of options.
    pub fn read(bytes: &[u8], identity: &str) -> Result<(Self, Placed), Failure> {
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| {
            Failure::invalid("the bytes are not an executable that Strata has serialised")
        })?;
        let mut reader = Reader(rest);
        let other = |what: String| {
            let text = format!("the serialised executable is {what}: compile the program again");
            Failure::new(Code::FailedPrecondition, text)
        };
        let format = reader.number()?;
        if format != FORMAT {
            return Err(other(format!("of format {format}, this library reads {FORMAT}")));
        }
        let digest = reader.bytes()?;
        if digest != identity::digest(&[reader.0]).as_bytes() {
            return Err(damaged());
        }
        let found = reader.text()?;
        if found != identity {
            return Err(other(format!("for `{found}`, this is `{identity}`")));
        }
        let (name, fingerprint) = (reader.text()?, reader.text()?);
        let cost = Cost {
            flops: reader.number()?,
            transcendentals: reader.number()?,
            bytes: reader.number()?,
        };
        let mut signature = Signature { entry: reader.text()?, ..Signature::default() };
        signature.inputs = reader.list(Reader::spec)?;
        signature.outputs = reader.list(Reader::spec)?;
        signature.donations = reader.list(|one| Ok((one.size()?, one.size()?)))?;
        let grid = [reader.size()?, reader.size()?];
        let placed = Placed::of(reader.bytes()?).map_err(|_| damaged())?;
        let sharding = |one: &mut Reader<'_>| Ok(one.bytes()?.to_vec());
        let shardings = [reader.list(sharding)?, reader.list(sharding)?];
        let order = |one: &mut Reader<'_>| {
            let order = one.list(Reader::size)?;
            let rank = order.len();
            Order::new(order, rank).ok_or_else(damaged)
        };
        let layouts = [reader.list(order)?, reader.list(order)?];
        let (donors, tokens) = (reader.flags()?, [reader.flags()?, reader.flags()?]);
        let calls_client = reader.number()? != 0;
        let (object, source) = (reader.bytes()?.to_vec(), reader.bytes()?.into());
        let (inputs, outputs) = (signature.inputs.len(), signature.outputs.len());
        let fits = signature.donations.iter().all(|pair| pair.0 < outputs && pair.1 < inputs);
        let tensors = |at: usize| tokens[at].iter().filter(|is_token| !**is_token).count();
        let fits = fits && donors.len() == inputs && (tensors(0), tensors(1)) == (inputs, outputs);
        let fits = fits && placed.grid() == grid;
        let ranks = |orders: &[Order]| {
            orders.iter().map(|order| order.dimensions().len()).collect::<Vec<_>>()
        };
        let shapes =
            |specs: &[TensorSpec]| specs.iter().map(|spec| spec.shape.len()).collect::<Vec<_>>();
        let fits = fits
            && ranks(&layouts[0]) == shapes(&signature.inputs)
            && ranks(&layouts[1]) == shapes(&signature.outputs);
        match fits && reader.0.is_empty() {
            true => {
                let saved = Self {
                    name,
                    fingerprint,
                    cost,
                    signature,
                    grid,
                    shardings,
                    layouts,
                    donors,
                    tokens,
                    calls_client,
                    object,
                    source,
                };
                Ok((saved, placed))
            }
            false => Err(damaged()),
        }
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn spec(&mut self, spec: &TensorSpec) -> Result<(), Failure> {
        self.number(u64::from(element::code(spec.element)?.cast_unsigned()));
        self.number(spec.shape.len() as u64);
        for size in &spec.shape {
            self.number(*size);
        }
        Ok(())
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn number(&mut self) -> Result<u64, Failure> {
        let (number, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*number))
    }

    fn size(&mut self) -> Result<usize, Failure> {
        usize::try_from(self.number()?).map_err(|_| damaged())
    }

    fn bytes(&mut self) -> Result<&'b [u8], Failure> {
        let size = self.size()?;
        let (bytes, rest) = self.0.split_at_checked(size).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<String, Failure> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| damaged())
    }

    fn flags(&mut self) -> Result<Vec<bool>, Failure> {
        Ok(self.bytes()?.iter().map(|byte| *byte != 0).collect())
    }

    fn list<T>(
        &mut self,
        one: impl Fn(&mut Self) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let count = self.number()?;
        if count > MOST {
            return Err(damaged());
        }
        (0..count).map(|_| one(self)).collect()
    }

    fn spec(&mut self) -> Result<TensorSpec, Failure> {
        let code = i32::try_from(self.number()?).map_err(|_| damaged())?;
        Ok(TensorSpec::new(self.list(Self::number)?, element::of_code(code)?))
    }
}

fn damaged() -> Failure {
    Failure::invalid("the serialised executable is damaged")
}
