//! The machine to compile for, as plain data.

/// The vector instruction set that decides tile and vector sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// Scalars only.
    Scalar,
    /// x86-64 baseline: 128-bit vectors, 16 registers, no fused multiply-add.
    Sse2,
    /// AVX2 with FMA: 256-bit vectors, 16 registers.
    Avx2,
    /// AVX-512 F, BW, DQ and VL: 512-bit vectors, 32 registers.
    Avx512,
    /// AArch64 Advanced SIMD: 128-bit vectors, 32 registers.
    Neon,
}

/// The target: LLVM's options, and what schedules depend on.
///
/// `strata-codegen` makes it from a triple, a CPU name and features; the other stages only read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// LLVM's target triple.
    pub triple: String,
    /// LLVM's CPU name.
    pub cpu: String,
    /// LLVM's feature string (`+avx2,-fma`), empty for the CPU's own.
    pub features: String,
    /// The widest vectors worth using.
    pub isa: Isa,
    /// Those of its features that instructions of [`crate::DOT_INSTRUCTIONS`] and [`crate::TILE_INSTRUCTIONS`] need.
    pub dot_features: Vec<&'static str>,
    /// Bytes of L1 data cache assumed when tile sizes are chosen.
    pub l1_bytes: u64,
    /// Bytes of L2 cache assumed when tile sizes are chosen.
    pub l2_bytes: u64,
}

impl Target {
    /// The default: any x86-64 machine on Linux.
    pub fn x86_64_baseline() -> Self {
        Self {
            triple: "x86_64-unknown-linux-gnu".to_owned(),
            cpu: "x86-64".to_owned(),
            features: String::new(),
            isa: Isa::Sse2,
            dot_features: Vec::new(),
            l1_bytes: 32 << 10,
            l2_bytes: 512 << 10,
        }
    }

    /// Bits of one vector register.
    pub fn vector_bits(&self) -> u32 {
        match self.isa {
            Isa::Scalar => 64,
            Isa::Sse2 | Isa::Neon => 128,
            Isa::Avx2 => 256,
            Isa::Avx512 => 512,
        }
    }

    /// The number of vector registers.
    pub fn vector_registers(&self) -> u32 {
        match self.isa {
            Isa::Scalar | Isa::Sse2 | Isa::Avx2 => 16,
            Isa::Avx512 | Isa::Neon => 32,
        }
    }

    /// Whether a multiply-add is one instruction.
    pub fn has_fma(&self) -> bool {
        matches!(self.isa, Isa::Avx2 | Isa::Avx512 | Isa::Neon)
    }

    /// Whether the lanes of a vector are written to places apart by one instruction.
    pub fn scatters(&self) -> bool {
        matches!(self.isa, Isa::Avx512)
    }

    /// Elements of `bits` bits in one vector register; at least 1.
    pub fn lanes(&self, bits: u32) -> u32 {
        (self.vector_bits() / bits.max(1)).max(1)
    }

    /// How many elements of `bits` bits a vector along a row of `length` elements has that whole vectors cover, and an iteration of
    /// up to four of these; 1 where no vector fits.
    pub fn whole_vectors(&self, bits: u32, length: i64) -> (i64, i64) {
        let is_whole = |step: &i64| *step > 1 && length > 0 && length % step == 0;
        let lanes =
            std::iter::successors(Some(i64::from(self.lanes(bits))), |lanes| Some(lanes / 2));
        let unit = lanes.take_while(|lanes| *lanes > 1).find(is_whole).unwrap_or(1);
        let step = [4 * unit, 2 * unit].into_iter().find(|step| unit > 1 && is_whole(step));
        (unit, step.unwrap_or(unit))
    }
}
