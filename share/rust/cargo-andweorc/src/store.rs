//! Recordings that are kept: a directory each under `target/andweorc`, with
//!
//! - `resolved`: the log, with names
//! - `analysis`: what andweorc-diff compares
//! - `commit`: of the sources, where it is known

use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};

/// The last recording.
pub const NEW: &str = "new";
/// The baseline without another name.
pub const BASE: &str = "base";

pub struct Store(PathBuf);

impl Store {
    pub fn new(target: &str) -> Store {
        Store(Path::new(target).join("andweorc"))
    }

    /// The directory of a recording, whether it is there or not.  Names come from command lines: they are no paths.
    pub fn directory(&self, name: &str) -> Result<PathBuf, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');

        if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(is_plain) {
            return Err(format!("bad name '{}': letters, digits, '-', '_' and '.'", name.escape_debug()));
        }
        Ok(self.0.join(name))
    }

    /// The directory of a recording that is there.
    pub fn existing(&self, name: &str) -> Result<PathBuf, String> {
        let dir = self.directory(name)?;

        match (dir.join("analysis").is_file(), name) {
            (true, _) => Ok(dir),
            (false, NEW) => Err("nothing is recorded yet; see 'cargo andweorc run'".into()),
            (false, _) => Err(format!("no baseline '{}' in '{}'", name, self.0.display())),
        }
    }

    /// An empty directory for the recording that is going to be the last one.
    pub fn prepare_new(&self) -> Result<PathBuf, String> {
        let dir = self.0.join(NEW);

        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(|e| format!("cannot remove '{}': {}", dir.display(), e))?;
        }
        fs::create_dir_all(&dir).map_err(|e| format!("cannot create '{}': {}", dir.display(), e))?;
        Ok(dir)
    }

    /// From the log in the directory to what is kept of it.
    pub fn digest(dir: &Path) -> Result<(), String> {
        let (log, resolved) = (dir.join("log"), dir.join("resolved"));

        tools::run_into("andweorc-resolve", &[&log], &resolved)?;
        let args = ["--format".as_ref(), "andweorc".as_ref(), resolved.as_os_str()];
        tools::run_into("andweorc-analyze", &args, &dir.join("analysis"))?;
        // The resolved log has all that it has.
        fs::remove_file(&log).map_err(|e| format!("cannot remove '{}': {}", log.display(), e))
    }

    pub fn save(&self, name: &str) -> Result<(), String> {
        if name == NEW {
            return Err(format!("bad name '{}': so the last recording is called", NEW));
        }
        let to = self.directory(name)?;
        let from = self.existing(NEW)?;

        fs::create_dir_all(&to).map_err(|e| format!("cannot create '{}': {}", to.display(), e))?;
        let _ = fs::remove_file(to.join("commit"));
        for file in ["resolved", "analysis", "commit"] {
            if from.join(file).exists() {
                fs::copy(from.join(file), to.join(file))
                    .map_err(|e| format!("cannot write '{}': {}", to.display(), e))?;
            }
        }
        Ok(())
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();

        names.retain(|name| name != NEW && self.existing(name).is_ok());
        names.sort();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_paths() {
        let store = Store::new("/t");

        for bad in ["", ".", "..", "../x", "a/b", ".x", "-x", "a b", "\x1b"] {
            assert!(store.directory(bad).is_err(), "{:?}", bad);
        }
        assert_eq!(store.directory("v1.2_a-b"), Ok(PathBuf::from("/t/andweorc/v1.2_a-b")));
    }
}
