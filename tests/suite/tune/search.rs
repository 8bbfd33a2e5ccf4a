//! The search, with times that a test gives instead of the machine's.

use std::{collections::BTreeMap, time::Duration};

use strata::{Choice, Entry, Options, Schedules, TunableNest, target};
use strata_diag::Diagnostic;
use strata_tune::{
    Database, Listener, Measure, Outcome, Record, Rejection, Report, Settings, Subject,
    search::neighbours, tune,
};

use super::{DENSE, DOTS, POINTWISE, nests};

/// The options for a processor that need not be the machine's: nothing runs.
fn options() -> Options {
    let target = target::resolve(Some("x86_64-unknown-linux-gnu"), Some("x86-64-v4"), None);
    Options { name: "test".into(), ..Options::new(target.expect("a known processor")) }
}

/// A machine with fixed times: each object takes what `seconds` says of the schedules that it has, a compilation a second.
struct Fixed<'a> {
    nests: &'a [TunableNest],
    seconds: &'a dyn Fn(&TunableNest, &Choice) -> Result<f64, Rejection>,
    objects: BTreeMap<usize, f64>,
    loads: u64,
    /// Loads of nests alone.
    alone: u64,
}

impl<'a> Fixed<'a> {
    fn new(
        nests: &'a [TunableNest],
        seconds: &'a dyn Fn(&TunableNest, &Choice) -> Result<f64, Rejection>,
    ) -> Self {
        Self { nests, seconds, objects: BTreeMap::new(), loads: 0, alone: 0 }
    }
}

impl Measure for Fixed<'_> {
    fn load(&mut self, subject: Subject, schedules: &Schedules) -> Result<usize, Rejection> {
        let of = |nest: &TunableNest| {
            let given = schedules.get(nest.fingerprint).map(|entry| &entry.schedule);
            (self.seconds)(nest, given.unwrap_or(&nest.chosen))
        };
        let seconds = match subject {
            Subject::Nest(at) => of(&self.nests[at])?,
            Subject::Program => self.nests.iter().map(of).sum::<Result<f64, _>>()?,
        };
        self.alone += u64::from(matches!(subject, Subject::Nest(_)));
        self.loads += 1;
        self.objects.insert(self.loads as usize, seconds);
        Ok(self.loads as usize)
    }

    fn times(&mut self, objects: &[usize], rounds: usize) -> Result<Vec<Vec<f64>>, Diagnostic> {
        let one: Vec<_> = objects.iter().map(|object| self.objects[object]).collect();
        Ok(vec![one; rounds])
    }

    fn unload(&mut self, object: usize) {
        assert!(self.objects.remove(&object).is_some(), "unloaded twice");
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.loads)
    }
}

/// What a search tells.
#[derive(Default)]
struct Told {
    records: Vec<Record>,
    kept: Vec<usize>,
}

impl Listener for Told {
    fn found(&mut self, record: &Record) {
        self.records.push(record.clone());
    }

    fn kept(&mut self, schedules: &Schedules) {
        self.kept.push(schedules.len());
    }
}

fn searched(
    nests: &[TunableNest],
    seconds: &dyn Fn(&TunableNest, &Choice) -> Result<f64, Rejection>,
    (database, budget): (&Database, u64),
) -> (Report, Told, u64) {
    let mut machine = Fixed::new(nests, seconds);
    let mut told = Told::default();
    let budget = Duration::from_secs(budget);
    let settings = Settings { budget, total: Duration::from_secs(100_000), compiler: "test" };
    let report = tune(&mut machine, nests, database, settings, &mut told).expect("searched");
    assert!(machine.objects.len() <= 2, "objects are left");
    (report, told, machine.alone)
}

/// The cost model chose badly: 4 x 2 vectors is three times as fast, what is nearer to it is faster.
fn planted(nest: &TunableNest, choice: &Choice) -> Result<f64, Rejection> {
    let Choice::Registers { rows, columns, lanes, pack, .. } = *choice else { return Ok(4.0) };
    let most = nest.space.iter().filter_map(|one| match one {
        Choice::Registers { lanes, .. } => Some(*lanes),
        _ => None,
    });
    let away = (rows - 4).abs() + (columns / lanes - 2).abs();
    let narrow = if Some(lanes) == most.max() { 0.0 } else { 1.0 };
    Ok((1.0 + away as f64 * 0.25 + f64::from(u8::from(pack)) + narrow).min(3.0))
}

#[test]
fn a_bad_choice_of_the_cost_model_is_found() {
    let nests = nests(DENSE, &options());
    let (report, told, _) = searched(&nests, &planted, (&Database::default(), 500));
    let schedules: Vec<_> = report.schedules.iter().map(|entry| &entry.schedule).collect();
    assert!(
        matches!(schedules.as_slice(), [Choice::Registers { rows: 4, columns, lanes, .. }] if *columns == 2 * lanes),
        "{schedules:?}"
    );
    let own = planted(&nests[0], &nests[0].chosen).expect("a time");
    let gain = report.compared.expect("compared").ratio;
    assert!((gain - own).abs() < 1e-9, "{gain} of {own}");
    assert_eq!((told.kept, told.records.len()), (vec![1], 1));
}

/// A search that ends early is not repeated with the same budget, and goes on with a larger one.
#[test]
fn searches_resume_where_the_database_ends() {
    let nests = nests(DOTS, &options());
    assert!(nests.len() > 2, "{nests:?}");
    let (first, told, alone) = searched(&nests, &planted, (&Database::default(), 30));
    assert!(alone > 30);
    let mut database = Database::default();
    told.records.iter().cloned().for_each(|record| database.add(record));
    assert_eq!(database.len(), nests.len());
    let database = Database::read("test", &database.text()).expect("reads what it wrote");
    let (again, told, alone) = searched(&nests, &planted, (&database, 30));
    assert_eq!((alone, told.records.len()), (0, 0));
    assert_eq!(again.schedules, first.schedules);
    assert!(again.outcomes.iter().all(|outcome| outcome.is_known));
    let open = |outcome: &&Outcome| !outcome.found.as_ref().is_some_and(|found| found.is_complete);
    let open = first.outcomes.iter().filter(open).count();
    let (_, told, alone) = searched(&nests, &planted, (&database, 31));
    assert!(alone > 20 && open > 0 && told.records.len() == open, "{open} of {}", nests.len());
}

/// Nothing is kept that is faster alone only, gives other results, does not apply, or is faster by chance.
#[test]
fn what_gains_nothing_is_not_kept() {
    let nests = nests(POINTWISE, &options());
    let same = |_: &TunableNest, _: &Choice| -> Result<f64, Rejection> { Ok(1.0) };
    let (report, told, _) = searched(&nests, &same, (&Database::default(), 1000));
    assert!(report.schedules.is_empty() && report.compared.is_none() && told.kept.is_empty());
    assert!(report.outcomes.iter().all(|outcome| outcome.found.as_ref().is_some_and(|found| {
        found.is_complete
            && found.choice.is_none()
            && found.tried + 1 == nests[outcome.nest].space.len()
    })));
    let wrong = |nest: &TunableNest, choice: &Choice| match *choice == nest.chosen {
        true => Ok(1.0),
        false => Err(Rejection::Differs("element 0".to_owned())),
    };
    let (report, ..) = searched(&nests, &wrong, (&Database::default(), 1000));
    assert!(report.schedules.is_empty());
    let told: usize =
        report.outcomes.iter().filter_map(|one| Some(one.found.as_ref()?.wrong.len())).sum();
    assert_eq!(told, nests.iter().map(|nest| nest.space.len() - 1).sum::<usize>());
    // A hundredth is too little to keep.
    let little =
        |nest: &TunableNest, choice: &Choice| Ok(if *choice == nest.chosen { 1.01 } else { 1.0 });
    let (report, ..) = searched(&nests, &little, (&Database::default(), 1000));
    assert!(report.schedules.is_empty() && report.outcomes.iter().all(|one| !one.is_kept));
}

/// Alone it is twice as fast, in the program slower: as where it evicts what others need from the caches.
#[test]
fn a_schedule_that_slows_the_program_down_is_not_kept() {
    struct Contrary<'a>(Fixed<'a>);
    impl Measure for Contrary<'_> {
        fn load(&mut self, subject: Subject, schedules: &Schedules) -> Result<usize, Rejection> {
            let object = self.0.load(subject, schedules)?;
            if subject == Subject::Program {
                self.0.objects.insert(object, 1.0 + schedules.len() as f64);
            }
            Ok(object)
        }
        fn times(&mut self, objects: &[usize], rounds: usize) -> Result<Vec<Vec<f64>>, Diagnostic> {
            self.0.times(objects, rounds)
        }
        fn unload(&mut self, object: usize) {
            self.0.unload(object);
        }
        fn elapsed(&self) -> Duration {
            self.0.elapsed()
        }
    }
    let nests = nests(DENSE, &options());
    let mut machine = Contrary(Fixed::new(&nests, &planted));
    let (budget, total) = (Duration::from_secs(100), Duration::from_secs(1000));
    let settings = Settings { budget, total, compiler: "test" };
    let mut told = Told::default();
    let report = tune(&mut machine, &nests, &Database::default(), settings, &mut told);
    let report = report.expect("searched");
    assert!(report.schedules.is_empty() && told.kept.is_empty());
    let outcome = &report.outcomes[0];
    assert!(outcome.found.as_ref().is_some_and(|found| found.gain > 1.5));
    assert_eq!(outcome.reason, "the program is not faster with it");
}

/// The total time is for the nests that take longest.
#[test]
fn the_total_time_ends_the_search() {
    let nests = nests(DOTS, &options());
    let mut machine = Fixed::new(&nests, &planted);
    let (budget, total) = (Duration::from_secs(40), Duration::from_secs(30));
    let settings = Settings { budget, total, compiler: "test" };
    let mut told = Told::default();
    let report = tune(&mut machine, &nests, &Database::default(), settings, &mut told);
    let report = report.expect("searched");
    let searched: Vec<_> = report.outcomes.iter().map(|one| one.found.is_some()).collect();
    assert!(searched[0] && !searched[nests.len() - 1], "{searched:?}");
    let longest = nests.iter().map(|nest| nest.work * nest.count as f64).fold(0.0, f64::max);
    let first = &nests[report.outcomes[0].nest];
    assert_eq!(first.work * first.count as f64, longest);
    assert_eq!(report.outcomes[nests.len() - 1].reason, "the time was over");
}

/// What was not searched is not known, and is searched by the next who asks.
#[test]
fn a_search_without_time_for_a_schedule_finds_nothing() {
    let nests = nests(DOTS, &options());
    let mut machine = Fixed::new(&nests, &planted);
    let (budget, total) = (Duration::from_secs(1), Duration::from_secs(1));
    let settings = Settings { budget, total, compiler: "test" };
    let mut told = Told::default();
    let report = tune(&mut machine, &nests, &Database::default(), settings, &mut told);
    for outcome in report.expect("searched").outcomes {
        assert!(outcome.found.is_none() && outcome.reason.starts_with("the time was over"));
    }
    assert!(told.records.is_empty());
}

/// Every schedule of the space is next to another one of it, so that a search by steps has a way.
#[test]
fn neighbours_are_in_the_space_and_differ_by_a_step() {
    for nest in nests(DENSE, &options()).iter().chain(&nests(POINTWISE, &options())) {
        let near = neighbours(&nest.chosen, &nest.space);
        assert!(!near.contains(&&nest.chosen));
        assert!(near.iter().all(|one| nest.space.contains(one)));
        let kinds = |one: &Choice| one.to_string().split(' ').next().map(str::to_owned);
        let alike = nest.space.iter().filter(|one| kinds(one) == kinds(&nest.chosen)).count();
        assert!(alike == 1 || !near.is_empty(), "{nest:?}");
    }
}

/// Two programs with an equal nest: what one found, the other has.
#[test]
fn programs_share_a_database() {
    let dense = nests(DENSE, &options());
    let (_, told, _) = searched(&dense, &planted, (&Database::default(), 500));
    let mut database = Database::default();
    told.records.into_iter().for_each(|record| database.add(record));
    let elsewhere = nests(super::DENSE_ELSEWHERE, &options());
    let (report, ..) = searched(&elsewhere, &planted, (&database, 500));
    let known: Vec<_> = report.outcomes.iter().filter(|outcome| outcome.is_known).collect();
    assert_eq!(known.len(), 1);
    assert_eq!(elsewhere[known[0].nest].fingerprint, dense[0].fingerprint);
    let entry: Option<&Entry> = report.schedules.get(dense[0].fingerprint);
    assert!(entry.is_some_and(|entry| entry.gains.is_some_and(|gains| gains.alone > Some(1.5))));
}
