//! Time that threads ran, and time that they waited for a processor that others had.

use std::time::Duration;

use strata_run::sampling;

/// Seconds of some threads, all together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spent {
    /// Time that a processor worked for them.
    pub ran: f64,
    /// Time that they could have run, and had no processor; none where the system does not count that.
    pub waited: Option<f64>,
}

impl Spent {
    /// Of no thread.
    pub const NOTHING: Self = Self { ran: 0.0, waited: Some(0.0) };

    /// So far, of threads of this process.
    pub fn of(threads: &[i32]) -> Self {
        threads.iter().fold(Self::NOTHING, |sum, thread| sum.and(Self::of_one(*thread)))
    }

    fn of_one(thread: i32) -> Self {
        let scheduled = sampling::scheduled(thread);
        let ran = match sampling::this_thread() == Some(thread) {
            // The other counter is late while a thread runs.
            true => sampling::processor_time(),
            false => scheduled.map_or(Duration::ZERO, |(ran, _)| ran),
        };
        let waited = scheduled.map(|(_, waited)| waited.as_secs_f64());
        Self { ran: ran.as_secs_f64(), waited }
    }

    /// Of both.
    pub fn and(self, other: Self) -> Self {
        let waited = self.waited.zip(other.waited).map(|(one, other)| one + other);
        Self { ran: self.ran + other.ran, waited }
    }

    /// What has come since.
    pub fn since(self, before: Self) -> Self {
        let waited = self.waited.zip(before.waited).map(|(now, before)| (now - before).max(0.0));
        Self { ran: (self.ran - before.ran).max(0.0), waited }
    }

    /// The mean of so many threads or calls.
    pub fn per(self, count: f64) -> Self {
        Self { ran: self.ran / count, waited: self.waited.map(|waited| waited / count) }
    }

    /// The part of the time for which the threads had work that they also had a processor for; none where that is not known.
    pub fn share(self) -> Option<f64> {
        self.waited.map(|waited| self.ran / (self.ran + waited)).filter(|share| share.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::Spent;

    #[test]
    fn the_share_is_of_the_time_with_work() {
        let spent = |ran, waited| Spent { ran, waited };
        assert_eq!(spent(1.0, Some(3.0)).share(), Some(0.25));
        assert_eq!(spent(1.0, None).share(), None);
        assert_eq!(Spent::NOTHING.share(), None);
        let all = spent(1.0, Some(3.0)).and(spent(2.0, Some(0.0)));
        assert_eq!(all, spent(3.0, Some(3.0)));
        assert_eq!(all.since(spent(1.0, Some(1.0))).per(2.0), spent(1.0, Some(1.0)));
        // What is not known of one thread is not known of all.
        assert_eq!(all.and(spent(1.0, None)), spent(4.0, None));
    }
}
