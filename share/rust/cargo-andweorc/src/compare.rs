//! Reports of what is kept, and comparisons.

use crate::store::{Store, BASE, NEW};
use crate::{cargo, tools, Outcome};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn store() -> Result<Store, String> {
    cargo::target_directory(None).map(|target| Store::new(&target))
}

fn call(command: &mut Command) -> Outcome {
    let status =
        command.status().map_err(|e| format!("cannot run {}: {}", command.get_program().to_string_lossy(), e))?;

    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

/// Prints what a resolved log says.
pub fn show(resolved: &Path, format: &str) -> Outcome {
    // A path that begins with '-' is no option.
    call(Command::new(tools::tool("andweorc-analyze")?).args(["--format", format, "--"]).arg(resolved))
}

fn one_of(what: &str, names: &[String]) -> Result<String, String> {
    match names {
        [name] => Ok(name.clone()),
        _ => Err(format!("{}; see 'cargo andweorc --help'", what)),
    }
}

pub fn report(args: &[String]) -> Outcome {
    let mut format = "text".to_string();
    let mut names = Vec::new();
    let mut rest = args.iter();

    while let Some(arg) = rest.next() {
        match arg.strip_prefix("--format=") {
            Some(value) => format = value.to_string(),
            None if arg == "-f" || arg == "--format" => {
                format = rest.next().ok_or("option '--format' requires an argument")?.clone()
            }
            None => names.push(arg.clone()),
        }
    }
    if !["text", "json", "csv"].contains(&format.as_str()) {
        return Err(format!("bad format '{}': text, json or csv", format.escape_debug()).into());
    }
    if names.is_empty() {
        names.push(NEW.into());
    }
    let name = one_of("report takes one name, or one file", &names)?;
    let file = PathBuf::from(&name);
    if name.contains('/') || file.is_file() {
        return show(&file, &format);
    }
    show(&store()?.existing(&name)?.join("resolved"), &format)
}

/// A file with what has changed in the sources since the base, where that is known.
fn patch(base: &Path, head: &Path) -> Option<PathBuf> {
    let commit = fs::read_to_string(base.join("commit")).ok()?;
    let path = head.join("patch");

    fs::write(&path, cargo::patch_since(commit.trim())?).ok()?;
    Some(path)
}

/// Prints how two recordings differ; the status is that of andweorc-diff.
pub fn show_difference(store: &Store, base: &str, head: &str, options: &[String]) -> Outcome {
    let (base_dir, head_dir) = (store.existing(base)?, store.existing(head)?);
    let mut command = Command::new(tools::tool("andweorc-diff")?);

    // Between two baselines, it is not the sources of today that matter.
    if let Some(path) = patch(&base_dir, &head_dir).filter(|_| head == NEW) {
        command.arg("--map").arg(path);
    }
    call(command.args(options).arg("--").arg(base_dir.join("analysis")).arg(head_dir.join("analysis")))
}

pub fn diff(args: &[String]) -> Outcome {
    let split = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let (names, options) = (&args[..split], args.get(split + 1..).unwrap_or(&[]));

    let (base, head) = match names {
        [] => (BASE, NEW),
        [base] => (base.as_str(), NEW),
        [base, head] => (base.as_str(), head.as_str()),
        _ => return Err("diff takes at most two names; see 'cargo andweorc --help'".into()),
    };
    show_difference(&store()?, base, head, options)
}

pub fn save(args: &[String]) -> Outcome {
    store()?.save(&one_of("save takes one name", args)?)?;
    Ok(0)
}

pub fn list(args: &[String]) -> Outcome {
    if !args.is_empty() {
        return Err("list takes no arguments".into());
    }
    for name in store()?.names() {
        println!("{}", name);
    }
    Ok(0)
}
