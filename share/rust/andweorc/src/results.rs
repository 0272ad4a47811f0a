//! What experiments have found.

use crate::Error;
use std::fmt;
use std::time::Duration;

/// How the program's speed depends on that of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct RegressionStats {
    /// The impact: how much faster the program gets for each unit by which the region does.  0.5: 10 % off the
    /// region's time takes 5 % off the time between two visits of the progress point.
    pub slope: f64,
    /// Its standard error, of repetition alone; NaN when it is not known.
    pub slope_std_error: f64,
    /// Its 95 % interval, with an allowance for what virtual speedups get wrong.
    pub slope_ci_lower: f64,
    /// The other end.
    pub slope_ci_upper: f64,
    /// The part of the variation that the fit explains, 0 to 1; NaN when it is not known.
    pub r_squared: f64,
    /// The false discovery rate over all regions and points (Benjamini and Hochberg); NaN when it is not known.
    pub q: f64,
    /// Windows of time that this is from, baselines among them.
    pub n: u64,
}

impl RegressionStats {
    /// The interval does not hold 0, and neither does the number of regions that were tried explain that.
    pub fn is_significant(&self) -> bool {
        (self.slope_ci_lower > 0.0 || self.slope_ci_upper < 0.0) && self.q <= 0.05
    }

    /// The linear model explains more than 0.7 of the variation.
    pub fn has_good_fit(&self) -> bool {
        self.r_squared > 0.7
    }
}

/// What a region means to a progress point: an impact record of andweorc(5).
#[derive(Clone, Debug)]
pub struct Impact {
    /// The name of the point.
    pub point: String,
    /// What the region is called, such as `parser.rs:142`.
    pub region: String,
    /// Its function; may be empty.
    pub function: String,
    /// Its source file; may be empty.
    pub file: String,
    /// Its line.
    pub line: Option<u32>,
    /// The program or library that it belongs to; may be empty.
    pub module: String,
    /// Its first address in the module, as addr2line(1) takes it.
    pub ip: Option<u64>,
    /// The region's part of all samples on processors, per cent.
    pub cpu_pct: Option<f64>,
    /// The impact; None where nothing can be said.
    pub stats: Option<RegressionStats>,
    /// `high`, `moderate`, `low`, `none`, `harmful` or `not-enough-data`.
    pub verdict: String,
    /// What would be enough data; may be empty.
    pub need: String,
    /// Speeding the region up beyond this gains no more.
    pub max_useful_pct: Option<f64>,
    /// Warnings of the recorder that undermine the result, such as `spin`; may be empty.
    pub doubt: String,
}

/// A window of time in which a region was sped up virtually, and what that did to the progress point.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The region's function, or its file and line; empty for a baseline, and for code without a name.
    pub symbol: String,
    /// The first address of the region in its module; None for a baseline.
    pub ip: Option<u64>,
    /// How much less time the region was made to take: 0 (a baseline) to 1.
    pub speedup: f64,
    /// Visits of the point for each second, without the time of the pauses.
    pub throughput: f64,
    /// The length of the window.
    pub duration: Duration,
    /// Samples of processor time in the region.
    pub matching_samples: u64,
}

/// The impacts on one progress point, the greatest first, and the experiments.
#[derive(Clone, Debug, Default)]
pub struct Results {
    impacts: Vec<Impact>,
    experiments: Vec<Experiment>,
    error: Option<Error>,
}

impl Results {
    pub(crate) fn new(mut impacts: Vec<Impact>, experiments: Vec<Experiment>) -> Results {
        let slope = |i: &Impact| i.stats.as_ref().map_or(f64::NEG_INFINITY, |s| s.slope);

        impacts.sort_by(|a, b| slope(b).total_cmp(&slope(a)));
        Results { impacts, experiments, error: None }
    }

    pub(crate) fn none(error: Error) -> Results {
        Results { error: Some(error), ..Results::default() }
    }

    /// Why there are no results.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// All that was tried, with names; also that of which nothing can be said.
    pub fn impacts(&self) -> &[Impact] {
        &self.impacts
    }

    /// All experiments, in the order of time.  An impact may rest on recorded events, too.
    pub fn experiments(&self) -> &[Experiment] {
        &self.experiments
    }

    /// The regions of which an impact is known: their first addresses, and the impacts.
    pub fn calculate_impacts(&self) -> Vec<(u64, f64)> {
        self.known().map(|(ip, stats)| (ip, stats.slope)).collect()
    }

    /// The same with statistics.
    pub fn calculate_impacts_with_stats(&self) -> Vec<(u64, RegressionStats)> {
        self.known().map(|(ip, stats)| (ip, stats.clone())).collect()
    }

    /// The regions that surely have an effect.
    pub fn significant_impacts(&self) -> Vec<(u64, RegressionStats)> {
        self.known().filter(|(_, stats)| stats.is_significant()).map(|(ip, stats)| (ip, stats.clone())).collect()
    }

    fn known(&self) -> impl Iterator<Item = (u64, &RegressionStats)> {
        self.impacts.iter().filter_map(|i| Some((i.ip?, i.stats.as_ref()?)))
    }
}

/// Names come from programs: nothing in them moves the cursor of a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn label(impact: &Impact) -> String {
    let function = impact.function.as_str();

    if function.is_empty() || function == impact.region {
        return plain(&impact.region);
    }
    plain(&format!("{} {}", impact.region, function))
}

fn opportunity(f: &mut fmt::Formatter<'_>, number: usize, impact: &Impact, stats: &RegressionStats) -> fmt::Result {
    write!(f, "{}. {} (impact = {:.4}, ", number, label(impact), stats.slope)?;
    write!(f, "95% CI: [{:.4}, {:.4}], R² = {:.2}, ", stats.slope_ci_lower, stats.slope_ci_upper, stats.r_squared)?;
    write!(f, "{}", plain(&impact.verdict))?;
    if let Some(knee) = impact.max_useful_pct {
        write!(f, ", useful up to {:.0} %", knee)?;
    }
    if !impact.doubt.is_empty() {
        write!(f, ", in doubt: {}", plain(&impact.doubt))?;
    }
    writeln!(f, ")")
}

fn rest(f: &mut fmt::Formatter<'_>, title: &str, impacts: &[&Impact]) -> fmt::Result {
    if impacts.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{}", title)?;
    for impact in impacts {
        match &impact.stats {
            Some(s) => writeln!(f, "   {} ({:.4} to {:.4})", label(impact), s.slope_ci_lower, s.slope_ci_upper)?,
            None => writeln!(f, "   {}", label(impact))?,
        }
    }
    match impacts.iter().find(|i| !i.need.is_empty()) {
        Some(impact) => writeln!(f, "   ({} needs {})", label(impact), plain(&impact.need)),
        None => Ok(()),
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_sure = |i: &&Impact| i.stats.as_ref().map_or(false, RegressionStats::is_significant);
        let (sure, others): (Vec<&Impact>, Vec<&Impact>) = self.impacts.iter().partition(is_sure);
        let (unknown, idle): (Vec<&Impact>, Vec<&Impact>) = others.iter().partition(|i| i.verdict == "not-enough-data");

        writeln!(f, "=== Causal Profiling Results ===")?;
        if let Some(error) = &self.error {
            return writeln!(f, "None: {}", error);
        }
        if sure.is_empty() {
            writeln!(f, "No region surely has an effect.")?;
        } else {
            writeln!(f, "Top optimization opportunities:\n")?;
        }
        for (i, impact) in sure.iter().enumerate() {
            if let Some(stats) = &impact.stats {
                opportunity(f, i + 1, impact, stats)?;
            }
        }
        rest(f, "No effect, or none that is sure:", &idle)?;
        rest(f, "Not enough data:", &unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(slope: f64, half: f64, q: f64) -> Option<RegressionStats> {
        let (slope_ci_lower, slope_ci_upper) = (slope - half, slope + half);

        Some(RegressionStats {
            slope,
            slope_std_error: half / 2.0,
            slope_ci_lower,
            slope_ci_upper,
            r_squared: 0.8,
            q,
            n: 9,
        })
    }

    fn impact(region: &str, ip: Option<u64>, stats: Option<RegressionStats>, verdict: &str) -> Impact {
        Impact {
            point: "p".into(),
            region: region.into(),
            function: "f\x1b[2J".into(),
            file: String::new(),
            line: None,
            module: String::new(),
            ip,
            cpu_pct: None,
            stats,
            verdict: verdict.into(),
            need: String::new(),
            max_useful_pct: None,
            doubt: String::new(),
        }
    }

    fn some() -> Results {
        Results::new(
            vec![
                impact("none.rs:1", Some(1), stats(0.01, 0.05, 0.6), "none"),
                impact("high.rs:2", Some(2), stats(0.8, 0.1, 0.001), "high"),
                impact("chance.rs:3", Some(3), stats(0.3, 0.2, 0.06), "not-enough-data"),
                impact("few.rs:4", Some(4), None, "not-enough-data"),
            ],
            Vec::new(),
        )
    }

    #[test]
    fn the_greatest_is_first_and_what_is_not_known_is_left_out() {
        assert_eq!(some().calculate_impacts(), [(2, 0.8), (3, 0.3), (1, 0.01)]);
        assert_eq!(some().impacts()[3].region, "few.rs:4");
    }

    #[test]
    fn significant_is_what_neither_the_interval_nor_the_number_of_tries_explains() {
        let sure = some().significant_impacts();

        assert_eq!(sure.iter().map(|(ip, _)| *ip).collect::<Vec<_>>(), [2]);
        assert!(sure[0].1.has_good_fit());
        let slower = RegressionStats { r_squared: f64::NAN, ..stats(-0.5, 0.1, 0.001).unwrap() };
        assert!(slower.is_significant() && !slower.has_good_fit());
    }

    #[test]
    fn names_do_not_move_the_cursor() {
        let text = some().to_string();

        assert!(text.contains("1. high.rs:2 f?[2J (impact = 0.8000, 95% CI: [0.7000, 0.9000], R² = 0.80, high)\n"));
        assert!(text.contains("\nNot enough data:\n   chance.rs:3 f?[2J (0.1000 to 0.5000)\n"));
        assert!(!text.contains('\x1b'));
        assert!(Results::none(Error::new("why")).to_string().ends_with("None: why\n"));
    }
}
