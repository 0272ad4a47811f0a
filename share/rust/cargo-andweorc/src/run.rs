//! `cargo andweorc run`: cargo builds the program, and andweorc-record runs it.

use crate::arguments::Arguments;
use crate::store::Store;
use crate::{cargo, compare, tools, Outcome};
use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

const SECONDS: &str = "30";
/// Comparisons need some runs of each side.
const RUNS_TO_COMPARE: &str = "5";

/// As a string of TOML.
fn quoted(text: &str) -> Result<String, String> {
    if text.chars().any(char::is_control) {
        return Err(format!("'{}' has a control character", text.escape_debug()));
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// What runs the program: a list for cargo's configuration.
fn runner(args: &Arguments, log: &Path, runs: Option<&str>) -> Result<String, String> {
    let mut words = vec![tools::recorder()?.display().to_string(), "-o".into(), log.display().to_string()];

    words.extend(["-d".to_string(), args.duration.clone().unwrap_or_else(|| SECONDS.into())]);
    if let Some(runs) = runs {
        words.extend(["-n".to_string(), runs.to_string()]);
    }
    if let Some(commit) = cargo::commit() {
        words.extend(["--commit".to_string(), commit]);
    }
    words.extend(args.record.iter().cloned());
    words.push("--".into());
    Ok(format!("[{}]", words.iter().map(|word| quoted(word)).collect::<Result<Vec<_>, _>>()?.join(", ")))
}

/// The status of the program, whose log is then there.
fn record(args: &Arguments, log: &Path, runs: Option<&str>) -> Outcome {
    let mut command = cargo::cargo();

    command.arg("run").args(&args.cargo);
    if let Some(path) = &args.manifest {
        command.args(["--manifest-path", path]);
    }
    if let Some(path) = &args.target_dir {
        command.args(["--target-dir", path]);
    }
    command.arg("--config").arg(format!("target.{}.runner={}", cargo::host()?, runner(args, log, runs)?));
    command.arg("--").args(&args.program);
    // Lines are known by it; it changes no code.
    if env::var_os("CARGO_PROFILE_RELEASE_DEBUG").is_none() {
        command.env("CARGO_PROFILE_RELEASE_DEBUG", "true");
    }
    // Who records is us.
    command.env_remove("ANDWEORC_ENABLED");
    let status = command.status().map_err(|e| format!("cannot run cargo: {}", e))?;
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

/// The time of all runs in a log, in seconds.
fn recorded_seconds(log: &str) -> f64 {
    let ends = log.lines().filter(|line| line.starts_with("end\t"));
    let wall = |line: &str| line.split('\t').find_map(|field| field.strip_prefix("wall_ns=")?.parse::<f64>().ok());

    ends.filter_map(wall).sum::<f64>() / 1e9
}

/// The same with runs enough for a comparison, where nothing else is said.  A program that runs for long is run a few
/// times, and ended; one that ends by itself leaves time to run it more often.
fn record_to_compare(args: &Arguments, log: &Path) -> Outcome {
    let status = record(args, log, Some(RUNS_TO_COMPARE))?;
    let wanted = args.duration.as_deref().unwrap_or(SECONDS).parse().unwrap_or(0.0);
    let recorded = recorded_seconds(&String::from_utf8_lossy(&fs::read(log).unwrap_or_default()));

    if status != 0 || recorded == 0.0 || recorded > wanted / 2.0 {
        return Ok(status);
    }
    eprintln!("cargo-andweorc: runs are short; it is run again, as often as there is time for");
    record(args, log, None)
}

pub fn run(args: &[String]) -> Outcome {
    let args = Arguments::parse(args)?;

    if args.help {
        print!("{}", crate::HELP);
        return Ok(0);
    }
    let target = match &args.target_dir {
        Some(dir) => dir.clone(),
        None => cargo::target_directory(args.manifest.as_deref())?,
    };
    let store = Store::new(&target);
    for name in args.save.iter() {
        store.directory(name)?;
    }
    for name in args.baseline.iter() {
        store.existing(name)?;
    }
    tools::tool("andweorc-resolve").and(tools::tool("andweorc-analyze"))?;
    if !args.is_optimized {
        eprintln!("cargo-andweorc: this is a build without optimization; --release makes one as it is used");
    }

    let dir = store.prepare_new()?;
    let log = dir.join("log");
    let is_compared = args.save.is_some() || args.baseline.is_some();
    let status = match args.runs.as_deref() {
        None if is_compared => record_to_compare(&args, &log)?,
        runs => record(&args, &log, runs)?,
    };
    if fs::metadata(&log).map_or(true, |m| m.len() == 0) {
        // Cargo or the recorder has said why.
        return Err(crate::Failure { message: String::new(), status: if status == 0 { 2 } else { status } });
    }
    if let Some(commit) = cargo::commit() {
        fs::write(dir.join("commit"), commit).map_err(|e| format!("cannot write '{}': {}", dir.display(), e))?;
    }
    Store::digest(&dir)?;
    if let Some(path) = &args.output {
        fs::copy(dir.join("resolved"), path).map_err(|e| format!("cannot write '{}': {}", path, e))?;
    }
    finish(&args, &store, &dir)?;
    Ok(status)
}

fn finish(args: &Arguments, store: &Store, dir: &Path) -> Outcome {
    let reported = compare::show(&dir.join("resolved"), "text")?;

    if let Some(name) = &args.baseline {
        println!("\nCompared with the baseline '{}':\n", name);
        compare::show_difference(store, name, crate::store::NEW, &[])?;
    }
    if let Some(name) = &args.save {
        store.save(name)?;
    }
    Ok(reported)
}

#[cfg(test)]
mod tests {
    use super::{quoted, recorded_seconds};

    #[test]
    fn words_are_strings_of_toml() {
        assert_eq!(quoted(r#"a "b" \c"#).unwrap(), r#""a \"b\" \\c""#);
        assert!(quoted("a\nb").is_err());
    }

    #[test]
    fn the_time_of_runs_is_added_up() {
        let log =
            "run\tid=1\nend\trun=1\tstatus=exit:0\twall_ns=1500000000\nend\trun=2\twall_ns=500000000\nend\trun=3\n";

        assert_eq!(recorded_seconds(log), 2.0);
        assert_eq!(recorded_seconds(""), 0.0);
    }
}
