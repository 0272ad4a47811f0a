//! What cargo knows.

use std::env;
use std::ffi::OsString;
use std::process::{Command, Stdio};

/// Cargo itself, as it has called us.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// What a program says, when it ends well.
fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().ok()?;

    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The platform that rustc builds for.
pub fn host() -> Result<String, String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let text = output_of(Command::new(rustc).arg("-vV")).ok_or("cannot run rustc")?;

    text.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(String::from)
        .ok_or_else(|| "rustc does not name its host".into())
}

/// The string behind `"key":` in cargo's JSON.  In strings themselves quotes are escaped, so that this is no part of one.
pub fn string_of(json: &str, key: &str) -> Option<String> {
    let start = json.find(&format!("\"{}\":\"", key))? + key.len() + 4;
    let mut out = String::new();
    let mut chars = json[start..].chars();

    loop {
        match chars.next()? {
            '"' => return Some(out),
            '\\' => out.push(unescape(&mut chars)?),
            c => out.push(c),
        }
    }
}

/// What stands behind a backslash.  Paths have none of the characters that take two \u.
fn unescape(chars: &mut std::str::Chars) -> Option<char> {
    match chars.next()? {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'b' => Some('\x08'),
        'f' => Some('\x0c'),
        'u' => {
            let hex: String = chars.by_ref().take(4).collect();
            char::from_u32(u32::from_str_radix(&hex, 16).ok()?)
        }
        c => Some(c),
    }
}

/// The directory that cargo builds in.
pub fn target_directory(manifest: Option<&str>) -> Result<String, String> {
    let mut command = cargo();

    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(path) = manifest {
        command.args(["--manifest-path", path]);
    }
    let json = output_of(&mut command).ok_or("cargo metadata failed")?;
    string_of(&json, "target_directory").ok_or_else(|| "cargo metadata names no target directory".into())
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;

    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The commit that the sources are of, when they are just that.
pub fn commit() -> Option<String> {
    let is_clean = git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();

    git(&["rev-parse", "HEAD"]).filter(|_| is_clean).map(|id| id.trim().to_string())
}

/// The difference from a commit to the sources as they are.
pub fn patch_since(commit: &str) -> Option<String> {
    git(&["diff", "-U0", "-M", "--end-of-options", commit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_outside_of_strings() {
        let json = r#"{"a":"\"key\":\"no\"","key":"\\\u00e9\" /x","key":"second"}"#;

        assert_eq!(string_of(json, "key").as_deref(), Some("\\\u{e9}\" /x"));
        assert_eq!(string_of(json, "none"), None);
        assert_eq!(string_of(r#"{"key":"cut"#, "key"), None);
    }
}
