//! cargo-andweorc: causal profiling of cargo's programs.
//!
//! It calls cargo, with andweorc-record in the place of what runs the program, and then the other tools of andweorc.
//! What they make is kept under `target/andweorc/`: the last recording in `new`, and baselines by their names.
//!
//! SPDX-License-Identifier: 0BSD

mod arguments;
mod cargo;
mod compare;
mod run;
mod store;
#[path = "../../andweorc/src/tools.rs"]
mod tools;

use std::process::exit;

const HELP: &str = "\
usage: cargo andweorc run [OPTION]... [-- ARG...]
       cargo andweorc report [-f text|json|csv] [NAME|FILE]
       cargo andweorc diff [BASE [HEAD]] [-- OPTION...]
       cargo andweorc save NAME
       cargo andweorc list

run: builds a program of the package, records it, and prints the report.
  --bin NAME, --example NAME   which program, as for cargo run
  --release, --profile NAME, --features LIST, -p PACKAGE, --manifest-path PATH, --target-dir DIR,
  --all-features, --no-default-features, --locked, --offline, --frozen
                               for cargo; release builds get debug information
  -d, --duration SECONDS       of experiments (default: 30)
  -n, --runs RUNS              (default: as many as there is time for; with a baseline, 5 at the least)
  -m, --mode, -r, --region, -P, --point, -s, --speedups, --only, -x, --exclude, --max-regions, --design, --until
                               for andweorc-record
  --round-duration-ms MS, --baseline-rounds N
                               the duration as a product
  -o, --output FILE            keep the resolved log there, too
  --save-baseline NAME         keep the recording as a baseline
  --baseline NAME              compare the recording with that baseline

report: prints what the last recording found, or a baseline, or a file that run -o has written.
diff:   compares the last recording, or HEAD, with a baseline (default: base).  Options are those of andweorc-diff.
save:   keeps the last recording as a baseline.
list:   the names of the baselines.

The tools are looked for where ANDWEORC_RECORD says, and in PATH.
Exit status: that of the program, of andweorc-diff, or 2.
";

/// Why it could not be done; the message may be empty where another program has said it already.
pub struct Failure {
    message: String,
    status: i32,
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, status: 2 }
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure::from(message.to_string())
    }
}

/// The exit status.
pub type Outcome = Result<i32, Failure>;

fn dispatch(args: &[String]) -> Outcome {
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => return Err(format!("no command\n{}", HELP).into()),
    };

    match command {
        "run" => run::run(rest),
        "report" => compare::report(rest),
        "diff" => compare::diff(rest),
        "save" => compare::save(rest),
        "list" => compare::list(rest),
        "-h" | "--help" | "help" => {
            print!("{}", HELP);
            Ok(0)
        }
        "-V" | "--version" => {
            println!("cargo-andweorc {}", env!("CARGO_PKG_VERSION"));
            Ok(0)
        }
        other => Err(format!("unknown command '{}'; see 'cargo andweorc --help'", other.escape_debug()).into()),
    }
}

fn main() {
    let mut args = Vec::new();

    for arg in std::env::args_os().skip(1) {
        match arg.into_string() {
            Ok(arg) => args.push(arg),
            Err(arg) => {
                eprintln!("cargo-andweorc: the argument {:?} is not UTF-8", arg);
                exit(2);
            }
        }
    }
    // cargo gives its subcommands their names.
    if args.first().map_or(false, |arg| arg == "andweorc") {
        args.remove(0);
    }
    match dispatch(&args) {
        Ok(status) => exit(status),
        Err(failure) => {
            if !failure.message.is_empty() {
                eprintln!("cargo-andweorc: {}", failure.message);
            }
            exit(failure.status);
        }
    }
}
