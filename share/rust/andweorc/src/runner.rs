//! Experiments that a program asks for itself, to read their results.
//!
//! ```no_run
//! use andweorc::runner::{Runner, RunnerConfig};
//! use std::time::Duration;
//!
//! fn main() {
//!     andweorc::start_profiling().expect("Failed to start profiling");
//!     // ... background threads that visit progress!("block") ...
//!     let config = RunnerConfig { round_duration: Duration::from_secs(3), ..RunnerConfig::default() };
//!     for (ip, impact) in Runner::with_config(config).run("block").calculate_impacts() {
//!         println!("0x{:x}: {:.2}", ip, impact);
//!     }
//! }
//! ```
//!
//! The recorder conducts from outside, and a whole recording says more than a part of one.
//! So [`Runner::run`] works with several executions of the program: the first one
//! starts others under `andweorc-record`, with the options of the configuration; they get to the
//! same call, and wait there until the time is used up.  Then the first one goes on,
//! not profiled, and gets the results.  What stands before the call is done in each of them.

use crate::{session, Error, Place, Results};
use std::env;
use std::time::Duration;

/// How long experiments take, and what they try.
#[derive(Clone, Debug, PartialEq)]
pub struct RunnerConfig {
    /// The time of one round: windows of 0.2 s or more with all regions and speedups, shuffled, with baselines between.
    pub round_duration: Duration,
    /// Rounds.  The whole takes `round_duration * baseline_rounds`.
    pub baseline_rounds: usize,
    /// Virtual speedups to try, 0.25 being 25 % off a region's time, to the nearest per cent.  Baselines, 0.0, are
    /// always there.
    pub speedup_percentages: Vec<f64>,
    /// At most so many regions, by their samples.
    pub max_ips: usize,
}

impl Default for RunnerConfig {
    /// 20 seconds for the speedups and regions that andweorc-record takes by itself.
    fn default() -> RunnerConfig {
        RunnerConfig {
            round_duration: Duration::from_secs(2),
            baseline_rounds: 10,
            speedup_percentages: vec![0.0, 0.15, 0.3, 0.5, 0.75],
            max_ips: 6,
        }
    }
}

fn variable<T: std::str::FromStr>(name: &str, meaning: &str) -> Result<Option<T>, Error> {
    match env::var(name) {
        Ok(value) if !value.is_empty() => {
            value.parse().map(Some).map_err(|_| Error::new(format!("bad {} '{}' in {}", meaning, value, name)))
        }
        _ => Ok(None),
    }
}

impl RunnerConfig {
    /// The options of andweorc-record for this, without -d.
    fn levels_and_regions(&self) -> Result<Vec<String>, Error> {
        let mut levels = Vec::new();

        for &speedup in &self.speedup_percentages {
            if !(0.0..=1.0).contains(&speedup) {
                return Err(Error::new(format!("bad speedup {}: it is a fraction, from 0.0 to 1.0", speedup)));
            }
            let pct = (speedup * 100.0).round() as u32;
            if pct > 0 && !levels.contains(&pct) {
                levels.push(pct);
            }
        }
        if levels.is_empty() {
            return Err(Error::new("speedup_percentages has no speedup above 0.0"));
        }
        if !(1..=1000).contains(&self.max_ips) {
            return Err(Error::new(format!("bad max_ips {}: 1 to 1000", self.max_ips)));
        }
        let levels: Vec<String> = levels.iter().map(u32::to_string).collect();
        Ok(vec!["-s".into(), levels.join(","), "--max-regions".into(), self.max_ips.to_string()])
    }

    pub(crate) fn time(&self) -> Duration {
        u32::try_from(self.baseline_rounds)
            .ok()
            .and_then(|n| self.round_duration.checked_mul(n))
            .unwrap_or(Duration::MAX)
    }

    pub(crate) fn options(&self) -> Result<Vec<String>, Error> {
        let seconds = self.time().as_secs_f64();
        let mut options = self.levels_and_regions()?;

        if seconds <= 0.0 {
            return Err(Error::new("round_duration and baseline_rounds leave no time for experiments"));
        }
        options.extend(["-d".into(), seconds.to_string()]);
        Ok(options)
    }

    /// Those of a program that says nothing itself: the environment decides.
    pub(crate) fn options_of_environment() -> Result<Vec<String>, Error> {
        let mut config = RunnerConfig::default();

        if let Some(ms) = variable("ANDWEORC_ROUND_DURATION_MS", "number of milliseconds")? {
            config.round_duration = Duration::from_millis(ms);
        }
        if let Some(rounds) = variable("ANDWEORC_BASELINE_ROUNDS", "number")? {
            config.baseline_rounds = rounds;
        }
        let seconds: Option<f64> = variable("ANDWEORC_DURATION", "number of seconds")?;
        let mut options = config.levels_and_regions()?;
        let seconds = seconds.unwrap_or_else(|| config.time().as_secs_f64());

        // 0: one run, to its own end.
        if seconds != 0.0 {
            options.extend(["-d".into(), seconds.to_string()]);
        }
        Ok(options)
    }
}

/// Conducts experiments and returns what they found.
#[derive(Clone, Debug, Default)]
pub struct Runner {
    config: RunnerConfig,
}

impl Runner {
    /// With the default configuration.
    pub fn new() -> Runner {
        Runner::default()
    }

    /// With this one.
    pub fn with_config(config: RunnerConfig) -> Runner {
        Runner { config }
    }

    /// Experiments while threads of the program, started before, visit the point.
    ///
    /// Where that fails, or the program is not profiled, the results are empty, standard error says why, and so does
    /// [`Results::error`].
    pub fn run(&self, point: &str) -> Results {
        self.try_run(point).unwrap_or_else(complain)
    }

    /// The same, with the reason as an error.
    pub fn try_run(&self, point: &str) -> Result<Results, Error> {
        session::results(&self.config, point, None)
    }

    /// Experiments while the workload is called again and again; each call is a visit of the point.
    ///
    /// The workload can be all that the program does, or have threads of its own.  When the
    /// program is not profiled, it is called once.  Errors are those of [`Runner::run`].
    pub fn measure(&self, point: &str, workload: impl FnMut()) -> Results {
        self.try_measure(point, workload).unwrap_or_else(complain)
    }

    /// The same, with the reason as an error.
    pub fn try_measure(&self, point: &str, mut workload: impl FnMut()) -> Result<Results, Error> {
        // Once in a process for each call: the runtime keeps the name anyway.
        let place = Place::point(Box::leak(point.to_string().into_boxed_str()));
        let mut once = || {
            workload();
            place.visit();
        };

        session::results(&self.config, point, Some(&mut once))
    }
}

fn complain(error: Error) -> Results {
    eprintln!("andweorc: no results: {}", error);
    Results::none(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_becomes_options() {
        let config = RunnerConfig {
            round_duration: Duration::from_millis(1500),
            baseline_rounds: 10,
            speedup_percentages: vec![0.0, 0.25, 0.254, 1.0],
            max_ips: 20,
        };

        assert_eq!(config.options().unwrap(), ["-s", "25,100", "--max-regions", "20", "-d", "15"]);
    }

    #[test]
    fn what_cannot_be_is_said() {
        let with =
            |speedups: &[f64]| RunnerConfig { speedup_percentages: speedups.to_vec(), ..RunnerConfig::default() };

        assert!(with(&[0.0]).options().is_err());
        assert!(with(&[25.0]).options().unwrap_err().to_string().contains("25"));
        assert!(with(&[f64::NAN]).options().is_err());
        assert!(RunnerConfig { max_ips: 0, ..RunnerConfig::default() }.options().is_err());
        assert!(RunnerConfig { baseline_rounds: 0, ..RunnerConfig::default() }.options().is_err());
    }
}
