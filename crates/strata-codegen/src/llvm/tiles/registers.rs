//! Groups of tiles in the processor's tile registers.

use strata_ir::{
    Builder, DYNAMIC, Op, TypeExt as _, Value, arith, index, integer, memref, memref_layout,
    narrow, scf, vector,
};
use strata_target::{TILES, Target, TileInstruction, tile_configuration};

use super::{
    Outcome, assembly,
    groups::{Group, Known, Place, Product, Start, is_of_tiles, shape},
};

/// Rows of a tile, and bytes of a row.
type Shape = [i64; 2];

/// A register for operands.
struct Slot<'c> {
    register: usize,
    shape: Shape,
    /// The place of the operand that it has.
    holds: Option<Place<'c>>,
    /// When it was used last.
    used: usize,
}

/// Which tile is in which register: sums in the first ones, operands in the others.
pub struct Registers<'c> {
    shapes: Vec<Shape>,
    slots: Vec<Slot<'c>>,
    instruction: &'static TileInstruction,
    /// Operands that are larger than L1, and of which other parts are read in each iteration of the loop around.
    streamed: Vec<Value<'c>>,
    time: usize,
}

impl<'c> Registers<'c> {
    /// The registers of a group: its sums have one each, every shape of an operand one, and those with the fewest
    /// what is left.
    pub fn of(group: &Group<'c>, target: &Target) -> Outcome<Self> {
        let products = group.products();
        let first = products.first().ok_or("there is no product")?;
        let instruction = TileInstruction::of_lanes(target, first.lanes)
            .filter(|_| products.iter().all(|other| other.lanes == first.lanes))
            .ok_or("the target has no instruction for them")?;
        let bytes = |[rows, lanes]: [i64; 2]| [rows, 4 * lanes];
        let mut shapes: Vec<_> =
            group.sums.iter().map(|sums| bytes([sums.rows, sums.columns])).collect();
        let mut wanted: Vec<(Shape, usize)> = Vec::new();
        for operand in products.iter().flat_map(|product| [product.lhs, product.rhs]) {
            let own = bytes(shape(operand).ok_or("an operand is not a matrix")?);
            match wanted.iter_mut().find(|(known, _)| *known == own) {
                Some((_, count)) => *count += 1,
                None => wanted.push((own, 1)),
            }
        }
        let left = TILES
            .checked_sub(shapes.len() + wanted.len())
            .ok_or("there are more tiles than registers")?;
        let mut slots: Vec<_> = wanted.iter().map(|(own, _)| *own).collect();
        // Operands of both sides stay until they are used again.
        for _ in 0..left {
            let has = |own: &Shape| slots.iter().filter(|slot| *slot == own).count();
            let lacking = wanted.iter().filter(|(own, count)| has(own) < *count);
            let Some((fewest, _)) = lacking.min_by_key(|(own, _)| has(own)) else { break };
            slots.push(*fewest);
        }
        let before = shapes.len();
        shapes.extend(&slots);
        let slot = |(at, shape): (usize, &Shape)| Slot {
            register: before + at,
            shape: *shape,
            holds: None,
            used: 0,
        };
        let slots = slots.iter().enumerate().map(slot).collect();
        let around = group.end().parent().filter(|around| around.is(scf::FOR));
        let operands = products.iter().flat_map(|product| [product.lhs, product.rhs]);
        let is_streamed = |tile: &Value<'c>| {
            Place::of_tile(*tile, &Known::default()).is_ok_and(|place| {
                place.bytes().is_some_and(|bytes| bytes > target.l1_bytes)
                    && around.is_some_and(|around| place.changes_in(around))
            })
        };
        let streamed = operands.filter(is_streamed).collect();
        Ok(Self { shapes, slots, instruction, streamed, time: 0 })
    }

    /// The bytes that `ldtilecfg` reads.
    pub fn configuration(&self) -> [u8; 64] {
        tile_configuration(self.shapes.iter().copied())
    }

    /// The group's code.
    pub fn emit(&mut self, b: &Builder<'c>, group: &Group<'c>) -> Outcome {
        let mut known = Known::default();
        for (register, sums) in group.sums.iter().enumerate() {
            match sums.start {
                Start::Zero => assembly(b, &format!("tilezero %tmm{register}"), "", &[]),
                Start::Read(value) => {
                    load(b, "tileloadd", register, &Place::of_tile(value, &known)?)?;
                }
            }
        }
        self.walk(b, group, &group.ops, &mut known)?;
        // Sums may take the place of operands that nothing reads any more.
        for (register, sums) in group.sums.iter().enumerate() {
            let [address, stride] = addressed(b, &Place::of(sums.store, 1, &known))?;
            let text = format!("tilestored %tmm{register}, ($0,$1,1)");
            assembly(b, &text, "r,r,~{memory}", &[address, stride]);
        }
        Ok(())
    }

    fn walk(
        &mut self,
        b: &Builder<'c>,
        group: &Group<'c>,
        ops: &[Op<'c>],
        known: &mut Known<'c>,
    ) -> Outcome {
        for op in ops {
            match op.name() {
                narrow::MATMUL => self.product(b, group, *op, known)?,
                scf::FOR if group.is_carried(*op) => self.repeated(b, group, *op, known)?,
                vector::STORE => {}
                _ if is_of_tiles(*op) => {}
                _ => {
                    b.copy(*op, known);
                }
            }
        }
        Ok(())
    }

    fn repeated(
        &mut self,
        b: &Builder<'c>,
        group: &Group<'c>,
        op: Op<'c>,
        known: &mut Known<'c>,
    ) -> Outcome {
        let mut result = Ok(());
        let body = op.body(0);
        self.forget();
        let region = b.region(&[index(b.context)], |b, args| {
            known.insert(body.arg(0), args[0]);
            result = self.walk(b, group, &body.ops(), known);
            scf::yield_(b, &[]).build();
        });
        self.forget();
        let bound = |at: usize| known.get(&op.operand(at)).copied().unwrap_or(op.operand(at));
        let copy = b.op(scf::FOR).operands(&[bound(0), bound(1), bound(2)]).region(region).build();
        for (name, value) in op.discardable_attrs() {
            copy.set_attr(name, value);
        }
        result
    }

    /// Other iterations have other operands.
    fn forget(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.holds = None);
    }

    fn product(
        &mut self,
        b: &Builder<'c>,
        group: &Group<'c>,
        op: Op<'c>,
        known: &Known<'c>,
    ) -> Outcome {
        let Product { lhs, rhs, .. } = Product::of(op).ok_or("a product without lanes")?;
        let sums = group.number_of(op.result(0))?;
        let left = self.operand(b, lhs, None, known)?;
        let right = self.operand(b, rhs, Some(left), known)?;
        let name = self.instruction.name;
        assembly(b, &format!("{name} %tmm{right}, %tmm{left}, %tmm{sums}"), "", &[]);
        Ok(())
    }

    /// The register of an operand, other than `taken`: the one that has it, or the one of its shape that was not used for longest, once it is
    /// loaded.
    fn operand(
        &mut self,
        b: &Builder<'c>,
        value: Value<'c>,
        taken: Option<usize>,
        known: &Known<'c>,
    ) -> Outcome<usize> {
        let [rows, lanes] = shape(value).ok_or("an operand is not a matrix")?;
        self.time += 1;
        let time = self.time;
        let own = |slot: &&mut Slot<'c>| slot.shape == [rows, 4 * lanes];
        let place = Place::of_tile(value, known)?;
        let held = self.slots.iter_mut().filter(own);
        let held = held.into_iter().find(|slot| slot.holds.as_ref() == Some(&place));
        if let Some(slot) = held {
            slot.used = time;
            return Ok(slot.register);
        }
        let free = self.slots.iter_mut().filter(own).filter(|slot| Some(slot.register) != taken);
        let slot = free.min_by_key(|slot| slot.used).ok_or("no register has its shape")?;
        // Past L1, where the other operand stays until the next iteration.
        let name = if self.streamed.contains(&value) { "tileloaddt1" } else { "tileloadd" };
        load(b, name, slot.register, &place)?;
        (slot.holds, slot.used) = (Some(place), time);
        Ok(slot.register)
    }
}

fn load<'c>(b: &Builder<'c>, name: &str, register: usize, from: &Place<'c>) -> Outcome {
    let [address, stride] = addressed(b, from)?;
    let text = format!("{name} ($0,$1,1), %tmm{register}");
    assembly(b, &text, "r,r,~{memory}", &[address, stride]);
    Ok(())
}

/// The address of a place in memory, and how many bytes its rows are apart.
fn addressed<'c>(b: &Builder<'c>, place: &Place<'c>) -> Outcome<[Value<'c>; 2]> {
    let ty = place.buffer.ty();
    let (strides, offset) = memref_layout(ty).ok_or("a buffer without strides")?;
    let bytes = ty.element().byte_width().ok_or("its elements have no width")?;
    let rank = strides.len();
    let is_known = offset != DYNAMIC && !strides.contains(&DYNAMIC);
    let numbers: Vec<Value<'c>> = if is_known {
        std::iter::once(offset).chain(strides).map(|number| b.index(number)).collect()
    } else {
        let number = index(b.context);
        let base = strata_ir::memref(&[], ty.element());
        let types = [&[base, number][..], &vec![number; 2 * rank]].concat();
        let found = b
            .op(memref::EXTRACT_STRIDED_METADATA)
            .operand(place.buffer)
            .results(&types)
            .build()
            .results();
        std::iter::once(found[1]).chain(found[2 + rank..].iter().copied()).collect()
    };
    let times = |left, right| b.same(arith::MULI, &[left, right]);
    let mut elements = numbers[0];
    for (at, stride) in place.at.iter().zip(&numbers[1..]) {
        elements = b.same(arith::ADDI, &[elements, times(*at, *stride)]);
    }
    let start =
        b.apply(memref::EXTRACT_ALIGNED_POINTER_AS_INDEX, &[place.buffer], index(b.context));
    let width = b.index(bytes as i64);
    let address = b.same(arith::ADDI, &[start, times(elements, width)]);
    let stride = times(numbers[rank - 1], width);
    let word = integer(b.context, 64);
    Ok([address, stride].map(|number| b.cast(arith::INDEX_CAST, number, word)))
}

impl<'c> Group<'c> {
    /// The tile that a value is.
    pub fn number_of(&self, value: Value<'c>) -> Outcome<usize> {
        self.number.get(&value).copied().ok_or_else(|| "a tile is of no group".to_owned())
    }

    /// Whether a loop carries tiles of the group.
    pub fn is_carried(&self, op: Op<'c>) -> bool {
        op.results().iter().any(|result| self.number.contains_key(result))
    }
}
