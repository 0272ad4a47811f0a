//! The tools of andweorc: where they are, and what they make of a log.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RECORD: &str = "ANDWEORC_RECORD";

fn is_program(path: &Path) -> bool {
    fs::metadata(path).map_or(false, |m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

fn in_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| is_program(path))
}

/// The path of `andweorc-record`: what the variable says, or the first one in `PATH`.
pub fn recorder() -> Result<PathBuf, String> {
    match env::var_os(RECORD).filter(|path| !path.is_empty()).map(PathBuf::from) {
        Some(path) if is_program(&path) => Ok(path),
        Some(path) => Err(format!("{} is '{}', which is no program", RECORD, path.display())),
        None => in_path("andweorc-record").ok_or_else(|| {
            format!("andweorc-record is not in PATH: install andweorc, or have {} say where it is", RECORD)
        }),
    }
}

/// The path of another tool: beside the recorder, or in `PATH`.
pub fn tool(name: &str) -> Result<PathBuf, String> {
    let beside = recorder().ok().map(|path| path.with_file_name(name)).filter(|path| is_program(path));
    beside.or_else(|| in_path(name)).ok_or_else(|| format!("{} is neither beside andweorc-record nor in PATH", name))
}

/// Writes what the tool says to a file.  What it complains of goes to standard error; status 2 is then left to the
/// caller: it means that some of the input was bad, and the rest was used.
pub fn run_into<A: AsRef<OsStr>>(name: &str, args: &[A], output: &Path) -> Result<(), String> {
    let file = File::create(output).map_err(|e| format!("cannot write '{}': {}", output.display(), e))?;
    let status = Command::new(tool(name)?)
        .args(args)
        .stdin(Stdio::null())
        .stdout(file)
        .status()
        .map_err(|e| format!("cannot run {}: {}", name, e))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{} failed: {}", name, status))
}
