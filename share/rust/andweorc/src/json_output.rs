//! Results as JSON, with the names that this crate's predecessor has (its schema, version 1).
//!
//! A number that is not known is `null`.

use crate::results::{Experiment, Impact, RegressionStats, Results};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

/// The version of the schema.
pub const SCHEMA_VERSION: u32 = 1;

fn text(value: &str) -> String {
    let mut out = String::from("\"");

    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => write!(out, "\\u{:04x}", c as u32).expect("a String takes all"),
            c => out.push(c),
        }
    }
    out + "\""
}

fn number(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        "null".into()
    }
}

fn statistics(stats: &RegressionStats) -> String {
    format!(
        "{{\"slope\": {}, \"r_squared\": {}, \"slope_std_error\": {}, \"ci_lower\": {}, \"ci_upper\": {}, \"n\": {}, \
         \"is_significant\": {}, \"has_good_fit\": {}}}",
        number(stats.slope),
        number(stats.r_squared),
        number(stats.slope_std_error),
        number(stats.slope_ci_lower),
        number(stats.slope_ci_upper),
        stats.n,
        stats.is_significant(),
        stats.has_good_fit()
    )
}

fn address(ip: Option<u64>) -> String {
    ip.map_or("null".into(), |ip| format!("\"0x{:x}\"", ip))
}

fn experiment(experiment: &Experiment) -> String {
    format!(
        "    {{\"ip\": {}, \"symbol\": {}, \"speedup_pct\": {}, \"throughput\": {}, \"duration_ms\": {}, \"matching_samples\": {}}}",
        address(experiment.ip),
        if experiment.symbol.is_empty() { "null".into() } else { text(&experiment.symbol) },
        number(experiment.speedup),
        number(experiment.throughput),
        experiment.duration.as_millis(),
        experiment.matching_samples
    )
}

fn impact(impact: &Impact) -> String {
    let symbol = if impact.function.is_empty() { &impact.region } else { &impact.function };

    format!(
        "    {{\"ip\": {}, \"symbol\": {}, \"region\": {}, \"point\": {}, \"verdict\": {}, \"impact\": {}, \"statistics\": {}}}",
        address(impact.ip),
        text(symbol),
        text(&impact.region),
        text(&impact.point),
        text(&impact.verdict),
        impact.stats.as_ref().map_or("null".into(), |s| number(s.slope)),
        impact.stats.as_ref().map_or("null".into(), statistics)
    )
}

/// A list, an entry a line.
fn list<T>(entries: &[T], entry: impl Fn(&T) -> String) -> String {
    if entries.is_empty() {
        return "[]".into();
    }
    format!("[\n{}\n  ]", entries.iter().map(entry).collect::<Vec<_>>().join(",\n"))
}

/// The results as one JSON object, with an LF at its end.  `speedup_pct` is a part, 0 to 1, as in the predecessor.
pub fn to_json(results: &Results) -> String {
    let tried: HashSet<u64> = results.experiments().iter().filter_map(|e| e.ip).collect();

    format!(
        "{{\n  \"schema_version\": {},\n  \"profiler\": \"andweorc\",\n  \"profiler_version\": {},\n  \"error\": {},\n  \
         \"experiments\": {},\n  \"impacts\": {},\n  \
         \"metadata\": {{\"total_experiments\": {}, \"unique_ips\": {}, \"significant_impacts\": {}}}\n}}\n",
        SCHEMA_VERSION,
        text(option_env!("CARGO_PKG_VERSION").unwrap_or("unknown")),
        results.error().map_or("null".into(), |e| text(&e.to_string())),
        list(results.experiments(), experiment),
        list(results.impacts(), impact),
        results.experiments().len(),
        tried.len(),
        results.significant_impacts().len()
    )
}

/// Writes them to a file.
pub fn write_json(results: &Results, path: impl AsRef<Path>) -> std::io::Result<()> {
    std::fs::write(path, to_json(results))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn what_is_not_known_is_null() {
        let stats = RegressionStats {
            slope: 0.5,
            slope_std_error: f64::NAN,
            slope_ci_lower: 0.25,
            slope_ci_upper: 0.75,
            r_squared: 0.875,
            q: 0.001,
            n: 12,
        };

        assert_eq!(
            statistics(&stats),
            "{\"slope\": 0.5, \"r_squared\": 0.875, \"slope_std_error\": null, \"ci_lower\": 0.25, \"ci_upper\": 0.75, \
             \"n\": 12, \"is_significant\": true, \"has_good_fit\": true}"
        );
        assert_eq!(text("a\"\\\n\u{20ac}"), "\"a\\\"\\\\\\u000a\u{20ac}\"");
        let none = to_json(&Results::none(Error::new("why")));
        assert!(none.contains("\"error\": \"why\",\n") && none.contains("\"impacts\": [],\n"));
    }
}
