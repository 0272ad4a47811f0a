//! What a recording came to, read from the lines of andweorc(5): of a resolved log its regions, of an analysis its
//! impacts.

use crate::results::{Experiment, Impact, RegressionStats};
use std::collections::HashMap;
use std::time::Duration;

/// A record: its type, and its fields.
struct Record<'a> {
    kind: &'a str,
    fields: HashMap<&'a str, String>,
}

impl<'a> Record<'a> {
    /// None for comments, and for what is no record.
    fn parse(line: &'a str) -> Option<Record<'a>> {
        let mut parts = line.split('\t');
        let kind = parts.next().filter(|kind| !kind.is_empty() && !kind.starts_with('#'))?;
        let fields =
            parts.map(|field| field.split_once('=').map(|(key, value)| (key, decode(value)))).collect::<Option<_>>()?;

        Some(Record { kind, fields })
    }

    fn text(&self, key: &str) -> String {
        self.fields.get(key).cloned().unwrap_or_default()
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.fields.get(key)?.parse().ok()
    }

    /// What tells the code of a region from others.
    fn place(&self, module: String) -> Place {
        let name =
            if self.text("scope") == "line" { String::new() } else { self.text("symbol") + &self.text("function") };

        Place { scope: self.text("scope"), module, file: self.text("file"), line: self.text("line"), name }
    }
}

#[derive(PartialEq, Eq, Hash)]
struct Place {
    scope: String,
    module: String,
    file: String,
    line: String,
    name: String,
}

/// Undoes %XX.
fn decode(value: &str) -> String {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;

    while i < bytes.len() {
        let code = (bytes[i] == b'%').then(|| value.get(i + 1..i + 3)).flatten();
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The lines of a resolved log that `impacts` and `experiments` need; a log can be long.
pub(crate) fn needed_of(log: &str) -> String {
    let needed = ["andweorc", "module", "region", "experiment", "visits"];
    let wanted = |line: &&str| line.split('\t').next().map_or(false, |kind| needed.contains(&kind));

    log.lines().filter(wanted).flat_map(|line| [line, "\n"]).collect()
}

/// The first address of a region: of `0xLO-0xHI,...`, LO.
fn first_address(ranges: &str) -> Option<u64> {
    let lo = ranges.split('-').next()?.strip_prefix("0x")?;

    u64::from_str_radix(lo, 16).ok()
}

/// All impacts, in the order of the analysis.  `lines`: what `needed_of` gave, and an analysis after it.
pub(crate) fn impacts(lines: &str) -> Vec<Impact> {
    let mut modules = HashMap::new();
    let mut addresses = HashMap::new();
    let mut impacts = Vec::new();

    for record in lines.lines().filter_map(Record::parse) {
        match record.kind {
            "andweorc" => modules.clear(), // numbers begin anew
            "module" => drop(modules.insert(record.text("id"), record.text("path"))),
            "region" => {
                let module = modules.get(&record.text("module")).cloned().unwrap_or_default();
                if let Some(address) = first_address(&record.text("ranges")) {
                    addresses.entry(record.place(module)).or_insert(address);
                }
            }
            "impact" => {
                let address = addresses.get(&record.place(record.text("module"))).copied();
                impacts.push(impact(&record, address));
            }
            _ => {}
        }
    }
    impacts
}

/// What the region is called, and its first address.
fn name(region: &Record) -> (String, Option<u64>) {
    let (function, file) = (region.text("function"), region.text("file"));
    let name = match (function.is_empty(), file.is_empty()) {
        (false, _) => function,
        (true, false) => format!("{}:{}", file, region.text("line")),
        (true, true) => region.text("symbol"),
    };

    (name, first_address(&region.text("ranges")))
}

/// None where it is not known how often the point was visited in how much time.
fn experiment(window: &Record, visits: &Record, region: Option<&(String, Option<u64>)>) -> Option<Experiment> {
    let nanoseconds: f64 = visits.number("virtual_ns").filter(|ns| *ns > 0.0)?;
    let (symbol, ip) = region.cloned().unwrap_or_default();

    Some(Experiment {
        symbol,
        ip,
        speedup: window.number::<f64>("speedup_pct")? / 100.0,
        throughput: visits.number::<f64>("count")? / nanoseconds * 1e9,
        duration: Duration::from_nanos(window.number("wall_ns").unwrap_or(0)),
        matching_samples: window.number("region_samples").unwrap_or(0),
    })
}

/// The experiments with the point, in the order of the log.  `lines`: what `needed_of` gave.
pub(crate) fn experiments(lines: &str, point: &str) -> Vec<Experiment> {
    let mut regions = HashMap::new();
    let mut windows = HashMap::new();
    let mut experiments = Vec::new();

    for record in lines.lines().filter_map(Record::parse) {
        match record.kind {
            "andweorc" => {
                regions.clear(); // numbers begin anew
                windows.clear();
            }
            "region" => drop(regions.entry(record.text("id")).or_insert_with(|| name(&record))),
            "experiment" => drop(windows.insert(record.text("id"), record)),
            "visits" if record.text("point") == point => {
                let window = windows.get(&record.text("experiment"));
                experiments.extend(window.and_then(|w| experiment(w, &record, regions.get(&w.text("region")))));
            }
            _ => {}
        }
    }
    experiments
}

fn impact(record: &Record, address: Option<u64>) -> Impact {
    Impact {
        point: record.text("point"),
        region: record.text("region"),
        function: record.text("function"),
        file: record.text("file"),
        line: record.number("line"),
        module: record.text("module"),
        ip: address,
        cpu_pct: record.number("cpu_pct"),
        stats: statistics(record),
        verdict: record.text("verdict"),
        need: record.text("need"),
        max_useful_pct: record.number("max_useful_pct"),
        doubt: record.text("doubt"),
    }
}

/// None where the recording was too short to say a number.
fn statistics(record: &Record) -> Option<RegressionStats> {
    Some(RegressionStats {
        slope: record.number("slope")?,
        slope_std_error: record.number("slope_se").unwrap_or(f64::NAN),
        slope_ci_lower: record.number("slope_lo")?,
        slope_ci_upper: record.number("slope_hi")?,
        r_squared: record.number("r2").unwrap_or(f64::NAN),
        q: record.number("q").unwrap_or(f64::NAN),
        n: record.number("n").unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "andweorc\tversion=1\ttool=record\n\
        region\tid=1\tscope=line\tmodule=2\tranges=0x10a0-0x10b0,0x900-0x910\tfile=/a b.rs\tline=7\n\
        andweorc\tversion=1\ttool=record\n\
        # comment\n\
        module\trun=1\tid=2\tpath=/bin/x%20y\n\
        region\tid=1\tscope=line\tmodule=2\tranges=0x20a0-0x20b0,0x900-0x910\tfile=/a.rs\tline=7\n\
        region\tid=2\tscope=function\tmodule=2\tranges=0x30-0x40\tfunction=f\tsymbol=_f\n\
        experiment\tid=1\trun=1\tregion=-\tspeedup_pct=0\twall_ns=200000000\tregion_samples=0\n\
        visits\texperiment=1\tpoint=p%25\tcount=100\tvirtual_ns=200000000\n\
        experiment\tid=2\trun=1\tregion=2\tspeedup_pct=50\twall_ns=300000000\tregion_samples=7\n\
        visits\texperiment=2\tpoint=other\tcount=5\tvirtual_ns=200000000\n\
        visits\texperiment=2\tpoint=p%25\tcount=120\tvirtual_ns=200000000\n\
        experiment\tid=3\trun=1\tregion=1\tspeedup_pct=25\twall_ns=300000000\n\
        visits\texperiment=3\tpoint=p%25\tcount=0\tvirtual_ns=0\n\
        sample\trun=1\tmodule=2\toffset=0x1\n";
    const ANALYSIS: &str = "andweorc\tversion=1\ttool=analyze\n\
        impact\tpoint=p%25\tregion=a.rs:7\tscope=line\tfile=/a.rs\tline=7\tmodule=/bin/x%20y\tfunction=f\tslope=0.5\tslope_lo=0.4\
        \tslope_hi=0.6\tr2=0.9\tq=0.001\tn=40\tverdict=moderate\n\
        impact\tpoint=p%25\tregion=f\tscope=function\tsymbol=_f\tfunction=f\tmodule=/bin/x%20y\tn=3\tverdict=not-enough-data\n\
        impact\tnot a field\n";

    #[test]
    fn impacts_have_the_addresses_of_their_regions() {
        let found = impacts(&(needed_of(LINES) + ANALYSIS));

        assert_eq!(found.len(), 2);
        assert_eq!((found[0].point.as_str(), found[0].ip, found[0].line), ("p%", Some(0x20a0), Some(7)));
        assert_eq!(found[0].stats.as_ref().map(|s| (s.slope, s.n)), Some((0.5, 40)));
        assert_eq!((found[1].ip, found[1].stats.is_none()), (Some(0x30), true));
        assert!(!needed_of(LINES).contains("sample\t"));
    }

    #[test]
    fn experiments_are_windows_with_visits() {
        let found = experiments(&(needed_of(LINES) + ANALYSIS), "p%");

        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].symbol.as_str(), found[0].ip, found[0].speedup, found[0].throughput),
            ("", None, 0.0, 500.0)
        );
        assert_eq!(
            (found[1].symbol.as_str(), found[1].ip, found[1].speedup, found[1].throughput),
            ("f", Some(0x30), 0.5, 600.0)
        );
        assert_eq!((found[1].duration, found[1].matching_samples), (Duration::from_millis(300), 7));
        assert_eq!(experiments(LINES, "none"), []);
    }

    #[test]
    fn escapes_are_undone_and_what_is_none_stays() {
        assert_eq!(decode("a%09b%2Fc%"), "a\tb/c%");
        assert_eq!(decode("%zz%e2%82%ac%2"), "%zz\u{20ac}%2");
        assert_eq!(decode("%\u{20ac}"), "%\u{20ac}");
    }
}
