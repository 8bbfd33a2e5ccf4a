//! The text of the strings.
//!
//! ```text
//! {replicated}   {maximal device=0}   {manual}   {unknown}   {{replicated},{devices=[2]0,1}}
//! {devices=[2,4]<=[8]}   {devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}   {devices=[2,2]0,1,2,3}
//! {devices=[1,2,2]<=[4] last_tile_dims={manual, replicated} metadata={…}}
//! ```

/// The most devices that a string may name: they are listed.
const MOST: i64 = 1 << 20;

/// What a string says of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// All devices have it.
    Replicated,
    /// Nothing: it may be split in any way.
    Unknown,
    /// One device has it: its number.
    Maximal(i64),
    /// Each device has one of its own, in a body of devices.
    Manual,
    /// It is split into tiles.
    Tiled(Tiles),
}

/// Tiles of a value and the devices that have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// The number of tiles along each dimension of the value, and of the devices that have the same tile.
    pub shape: Vec<i64>,
    /// The devices in row-major order of that shape.
    pub devices: Vec<i64>,
    /// How many dimensions at the end of the shape are none of the value.
    pub extra: usize,
    /// Whether devices along one of these have values of their own.
    pub manual: bool,
}

impl Tiles {
    /// The number of dimensions of the value.
    pub fn rank(&self) -> usize {
        self.shape.len() - self.extra
    }
}

/// Reads a string: one annotation, or those of the elements of a tuple.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(text: &str) -> Result<Vec<Annotation>, String> {
    let mut reader = Reader { rest: text };
    reader.expect("{")?;
    let all = if reader.peek() == Some('{') {
        let mut all = Vec::new();
        while reader.eat("{") {
            all.push(reader.annotation()?);
            reader.expect("}")?;
            if !reader.eat(",") {
                break;
            }
        }
        all
    } else if reader.peek() == Some('}') {
        Vec::new()
    } else {
        vec![reader.annotation()?]
    };
    reader.expect("}")?;
    match reader.rest.trim().is_empty() {
        true => Ok(all),
        false => Err(format!("`{}` follows its end", reader.rest.trim())),
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest.trim_start().strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) {
            return Ok(());
        }
        Err(match self.rest.trim_start() {
            "" => format!("`{token}` is missing at its end"),
            rest => format!("`{token}` is missing before `{rest}`"),
        })
    }

    fn number(&mut self) -> Result<i64, String> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let number = text[..end].parse().map_err(|_| match text {
            "" => "a number is missing at its end".to_owned(),
            _ => format!("a number is missing before `{text}`"),
        })?;
        self.rest = &text[end..];
        Ok(number)
    }

    fn numbers(&mut self, end: &str) -> Result<Vec<i64>, String> {
        let mut all = vec![self.number()?];
        while self.eat(",") {
            all.push(self.number()?);
        }
        if !end.is_empty() {
            self.expect(end)?;
        }
        Ok(all)
    }

    /// What is between the braces.
    fn annotation(&mut self) -> Result<Annotation, String> {
        let mut annotation = if self.eat("replicated") {
            Annotation::Replicated
        } else if self.eat("manual") {
            Annotation::Manual
        } else if self.eat("maximal") {
            self.expect("device=")?;
            Annotation::Maximal(self.number()?)
        } else if self.eat("unknown") {
            Annotation::Unknown
        } else if self.eat("devices=") {
            Annotation::Tiled(self.tiles()?)
        } else {
            return Err(format!("it is not known what `{}` is", self.rest.trim_start()));
        };
        self.options(&mut annotation)?;
        Ok(annotation)
    }

    /// What follows: whether the last dimensions are none of the value, and notes without meaning here.
    fn options(&mut self, annotation: &mut Annotation) -> Result<(), String> {
        loop {
            let mut kinds = None;
            if self.eat("last_tile_dim_replicate") {
                kinds = Some(vec![false]);
            } else if self.eat("last_tile_dims={") {
                let mut all = Vec::new();
                while !self.eat("}") {
                    if !all.is_empty() {
                        self.expect(",")?;
                    }
                    let is_manual = self.eat("manual");
                    if !is_manual {
                        self.expect("replicated")?;
                    }
                    all.push(is_manual);
                }
                kinds = Some(all);
            } else if self.eat("metadata=") {
                self.skip_braces()?;
            } else if self.eat("backend=") || self.eat("frontend=") || self.eat("sharding=") {
                return Err("only devices, and what is the same on them, are understood".to_owned());
            } else {
                return Ok(());
            }
            let Some(kinds) = kinds else { continue };
            let Annotation::Tiled(tiles) = annotation else {
                return Err("only devices have tiles".to_owned());
            };
            if tiles.extra > 0 || kinds.len() > tiles.shape.len() {
                return Err("it has more kinds of dimensions than dimensions".to_owned());
            }
            tiles.extra = kinds.len();
            tiles.manual = kinds.contains(&true);
        }
    }

    fn skip_braces(&mut self) -> Result<(), String> {
        self.expect("{")?;
        let mut depth = 1;
        for (at, char) in self.rest.char_indices() {
            match char {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = &self.rest[at + 1..];
                return Ok(());
            }
        }
        Err("`}` is missing at its end".to_owned())
    }

    /// `[2,1,4]<=[2,4]T(1,0)`, `[2,2]<=[4]`, `[2,2]0,1,2,3`
    fn tiles(&mut self) -> Result<Tiles, String> {
        self.expect("[")?;
        let shape = self.numbers("]")?;
        let count = product(&shape)?;
        let devices = if self.eat("<=[") {
            let grid = self.numbers("]")?;
            let order = if self.eat("T(") { self.numbers(")")? } else { Vec::new() };
            transposed(count, &grid, &order)?
        } else {
            let devices = self.numbers("")?;
            if devices.len() as i64 != count {
                return Err(format!("there are {count} tiles, and {} devices", devices.len()));
            }
            let mut sorted = devices.clone();
            sorted.sort_unstable();
            if !sorted.iter().copied().eq(0..count) {
                return Err(format!(
                    "it does not list each of the devices 0 to {} once",
                    count - 1
                ));
            }
            devices
        };
        Ok(Tiles { shape, devices, extra: 0, manual: false })
    }
}

/// The number of tiles of that shape.
pub fn product(sizes: &[i64]) -> Result<i64, String> {
    if sizes.contains(&0) {
        return Err("a dimension has no tiles".to_owned());
    }
    let all = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
    all.filter(|all| *all <= MOST).ok_or_else(|| format!("it has more than {MOST} tiles"))
}

/// A list of as many devices as there are tiles.
pub fn listed(count: i64, devices: Vec<i64>) -> Result<Vec<i64>, String> {
    if devices.len() as i64 != count {
        return Err(format!("there are {count} tiles, and {} devices", devices.len()));
    }
    let mut sorted = devices.clone();
    sorted.sort_unstable();
    match sorted.iter().copied().eq(0..count) {
        true => Ok(devices),
        false => Err(format!("it does not list each of the devices 0 to {} once", count - 1)),
    }
}

/// The numbers from 0 on in a grid of that shape, with its dimensions in another order if one is given.
pub fn transposed(count: i64, grid: &[i64], order: &[i64]) -> Result<Vec<i64>, String> {
    if product(grid)? != count {
        return Err(format!("there are {count} tiles, and {} devices", product(grid)?));
    }
    let own: Vec<i64> = (0..grid.len() as i64).collect();
    let order = if order.is_empty() { &own } else { order };
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted != own {
        return Err(format!("{order:?} is not an order of {} dimensions", grid.len()));
    }
    let stride = |dim: usize| grid[dim + 1..].iter().product::<i64>();
    let mut all = vec![0];
    for dim in order.iter().filter_map(|dim| usize::try_from(*dim).ok()) {
        let along = |first: i64| (0..grid[dim]).map(move |at| (first, at));
        all = all.into_iter().flat_map(along).map(|(first, at)| first + at * stride(dim)).collect();
    }
    Ok(all)
}
