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
fn runner(args: &Arguments, log: &Path) -> Result<String, String> {
    let is_compared = args.save.is_some() || args.baseline.is_some();
    let runs = args.runs.as_deref().or_else(|| is_compared.then_some(RUNS_TO_COMPARE));
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
fn record(args: &Arguments, log: &Path) -> Outcome {
    let mut command = cargo::cargo();

    command.arg("run").args(&args.cargo);
    if let Some(path) = &args.manifest {
        command.args(["--manifest-path", path]);
    }
    if let Some(path) = &args.target_dir {
        command.args(["--target-dir", path]);
    }
    command.arg("--config").arg(format!("target.{}.runner={}", cargo::host()?, runner(args, log)?));
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
    let status = record(&args, &log)?;
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
    use super::quoted;

    #[test]
    fn words_are_strings_of_toml() {
        assert_eq!(quoted(r#"a "b" \c"#).unwrap(), r#""a \"b\" \\c""#);
        assert!(quoted("a\nb").is_err());
    }
}
