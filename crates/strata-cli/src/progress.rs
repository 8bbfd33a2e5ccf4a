//! The progress line that a terminal shows during a long compilation. Erased before anything else
//! is written.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use strata::{Observer, PartCount, Product, StageInfo};

/// Compilations shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the line is updated.
const PERIOD: Duration = Duration::from_millis(100);

/// Shows the stage that runs, until it is dropped.
pub struct Progress {
    shared: Arc<Shared>,
    painter: Option<JoinHandle<()>>,
}

/// What the compiler's thread and the one that writes know.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// The parts of the object, where it has several.
    parts: Option<PartCount>,
    /// Whether all are compiled, and are linked.
    is_joining: bool,
    /// `stage 5 of 9: affine`; empty while stages are not told.
    stage: String,
    /// Its current step, if it has steps.
    step: Option<&'static str>,
    has_ended: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end, at most that long; returns whether it has come.
    fn ends_within(&self, time: Duration) -> bool {
        let waited = self.ended.wait_timeout_while(self.state(), time, |state| !state.has_ended);
        waited.unwrap_or_else(PoisonError::into_inner).0.has_ended
    }

    fn line(&self, elapsed: Duration) -> String {
        format!("{}, {:.1} s", self.state().text(), elapsed.as_secs_f64())
    }
}

impl State {
    fn text(&self) -> String {
        let step = self.step.map(|step| format!(" ({step})")).unwrap_or_default();
        let stage = format!("{}{step}", self.stage);
        let Some(parts) = &self.parts else { return stage };
        let (noun, count, finished) = (parts.noun, parts.count, parts.finished());
        match self.stage.is_empty() {
            _ if self.is_joining => format!("{count} {noun}s compiled: {stage}"),
            true => format!("{finished} of {count} {noun}s compiled"),
            false => format!("{noun} {} of {count}: {stage}", (finished + 1).min(count)),
        }
    }
}

impl Progress {
    /// Progress on standard error, shown after the first second.
    pub fn new() -> Self {
        Self::on(ProgressDrawTarget::stderr(), PATIENCE)
    }

    fn on(target: ProgressDrawTarget, patience: Duration) -> Self {
        let shared = Arc::<Shared>::default();
        // The first stage is told once it is known what to compile, which the program says.
        shared.state().stage = "reading the program".to_owned();
        let started = Instant::now();
        let seen = Arc::clone(&shared);
        let paint = move || {
            if seen.ends_within(patience) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, target);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            loop {
                bar.set_message(seen.line(started.elapsed()));
                bar.tick();
                if seen.ends_within(PERIOD) {
                    break;
                }
            }
            bar.finish_and_clear();
        };
        // If no thread can be started, there is no progress line, which is not an error.
        let painter = thread::Builder::new().name("progress".to_owned()).spawn(paint).ok();
        Self { shared, painter }
    }
}

impl Progress {
    /// Shows texts in the place of a stage, from any thread.
    pub fn teller(&self) -> impl Fn(&str) + Send + Sync + use<> {
        let shared = Arc::clone(&self.shared);
        move |text| {
            let mut state = shared.state();
            text.clone_into(&mut state.stage);
            state.step = None;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shared.state().has_ended = true;
        self.shared.ended.notify_all();
        // A painter that panicked leaves nothing to erase.
        let _ = self.painter.take().map(JoinHandle::join);
    }
}

impl Observer for Progress {
    fn parts_planned(&mut self, parts: &PartCount) {
        let mut state = self.shared.state();
        state.parts = Some(parts.clone());
        state.stage.clear();
        state.step = None;
    }

    fn part_started(&mut self, name: &str) {
        let mut state = self.shared.state();
        state.is_joining = name.is_empty();
        state.stage.clear();
        if state.is_joining {
            state.stage.push_str("linking them");
        }
        state.step = None;
    }

    fn wants_stages(&self) -> bool {
        false
    }

    fn stage_started(&mut self, info: &StageInfo, number: usize, count: usize) {
        let mut state = self.shared.state();
        // The stages of the whole follow those of its parts: their numbers would seem to begin again.
        state.stage = match state.is_joining {
            true => format!("stage {}", info.name),
            false => format!("stage {number} of {count}: {}", info.name),
        };
        state.step = info.steps().first().map(|step| step.name);
    }

    fn step_finished(
        &mut self,
        info: &StageInfo,
        number: usize,
        _: &str,
        _: &Product<'_, '_>,
        _: Duration,
    ) {
        self.shared.state().step = info.steps().get(number + 1).map(|step| step.name);
    }

    fn stage_finished(&mut self, _: &StageInfo, _: &Product<'_, '_>, _: Duration) {}

    fn wants_assembly(&self) -> bool {
        false
    }
}

/// Erases the line of a process that ended in the middle of a compilation.
pub fn remove_left_over() {
    let _ = io::stderr().write_all(b"\r\x1b[2K");
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use indicatif::{ProgressDrawTarget, TermLike};
    use strata::{Observer, PartCount, Stage};

    use super::Progress;

    /// A terminal that records its output.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<Vec<String>>>);

    impl Paper {
        fn keep(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("no panic").push(text.to_owned());
            Ok(())
        }

        fn text(&self) -> String {
            self.0.lock().expect("no panic").concat()
        }
    }

    impl TermLike for Paper {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.keep(&format!("{text}\n"))
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.keep(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.keep("<cleared>")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn shown(patience: Duration, work: Duration) -> String {
        let paper = Paper::default();
        let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
        let mut progress = Progress::on(target, patience);
        progress.stage_started(Stage::Affine.info(), 5, 9);
        std::thread::sleep(work);
        drop(progress);
        paper.text()
    }

    #[test]
    fn a_long_compilation_shows_its_stage_and_cleans_up() {
        let text = shown(Duration::from_millis(20), Duration::from_millis(400));
        assert!(text.contains("stage 5 of 9: affine (sums), "), "{text}");
        assert!(text.ends_with("<cleared>"), "{text}");
    }

    /// What the line says while parts are compiled, one after the other or not.
    #[test]
    fn parts_are_counted_and_the_whole_does_not_begin_again() {
        let mut progress = Progress::on(ProgressDrawTarget::hidden(), Duration::from_secs(3600));
        let text = |progress: &Progress| progress.shared.state().text();
        assert_eq!(text(&progress), "reading the program");
        let parts = PartCount::new(27, "version");
        progress.parts_planned(&parts);
        progress.part_started("t=16");
        assert_eq!(text(&progress), "0 of 27 versions compiled");
        (0..4).for_each(|_| parts.finish_one());
        assert_eq!(text(&progress), "4 of 27 versions compiled");
        progress.stage_started(Stage::Hlo.info(), 2, 8);
        assert_eq!(text(&progress), "version 5 of 27: stage 2 of 8: hlo");
        (4..27).for_each(|_| parts.finish_one());
        progress.part_started("");
        assert_eq!(text(&progress), "27 versions compiled: linking them");
        progress.stage_started(Stage::Obj.info(), 2, 2);
        assert_eq!(text(&progress), "27 versions compiled: stage obj");
    }

    #[test]
    fn other_work_is_shown_in_words() {
        let paper = Paper::default();
        let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
        let progress = Progress::on(target, Duration::from_millis(20));
        progress.teller()("round 1 of 4: compiling");
        std::thread::sleep(Duration::from_millis(400));
        drop(progress);
        assert!(paper.text().contains("round 1 of 4: compiling, "), "{}", paper.text());
    }

    #[test]
    fn a_short_one_shows_nothing() {
        assert_eq!(shown(Duration::from_secs(3600), Duration::ZERO), "");
    }
}
