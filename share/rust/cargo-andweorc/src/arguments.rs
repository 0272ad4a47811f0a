//! Options of `cargo andweorc run`: whose they are, and what follows them.

/// What the command line says.
#[derive(Debug, Default, PartialEq)]
pub struct Arguments {
    pub cargo: Vec<String>,  // for cargo run
    pub record: Vec<String>, // for andweorc-record, but for -d and -n
    pub program: Vec<String>,
    pub manifest: Option<String>,
    pub target_dir: Option<String>,
    pub duration: Option<String>,
    pub runs: Option<String>,
    pub output: Option<String>,
    pub save: Option<String>,
    pub baseline: Option<String>,
    pub is_optimized: bool,
    pub help: bool,
    round_ms: Option<String>,
    rounds: Option<String>,
}

const CARGO_FLAGS: [&str; 6] =
    ["--release", "--all-features", "--no-default-features", "--locked", "--offline", "--frozen"];
const CARGO_VALUES: [&str; 8] = ["--bin", "--example", "--profile", "--features", "-F", "-p", "--package", "--target"];
const RECORD_VALUES: [&str; 15] = [
    "-m",
    "--mode",
    "-r",
    "--region",
    "-P",
    "--point",
    "-s",
    "--speedups",
    "--only",
    "-x",
    "--exclude",
    "--max-regions",
    "--design",
    "--until",
    "--window",
];

/// `--name=value` in two.
fn in_two(arg: &str) -> (&str, Option<&str>) {
    match arg.split_once('=') {
        Some((name, value)) if name.starts_with("--") => (name, Some(value)),
        _ => (arg, None),
    }
}

impl Arguments {
    pub fn parse(args: &[String]) -> Result<Arguments, String> {
        let mut parsed = Arguments::default();
        let mut rest = args.iter();

        while let Some(arg) = rest.next() {
            if arg == "--" {
                parsed.program = rest.cloned().collect();
                break;
            }
            parsed.take(arg, &mut rest)?;
        }
        parsed.multiply()?;
        Ok(parsed)
    }

    fn take<'a>(&mut self, arg: &str, rest: &mut impl Iterator<Item = &'a String>) -> Result<(), String> {
        let (name, joined) = in_two(arg);

        if matches!(name, "-h" | "--help") {
            self.help = true;
            return Ok(());
        }
        if CARGO_FLAGS.contains(&arg) {
            self.is_optimized |= arg == "--release";
            self.cargo.push(arg.to_string());
            return Ok(());
        }
        let is_cargos = CARGO_VALUES.contains(&name);
        if !is_cargos && !RECORD_VALUES.contains(&name) && self.own(name).is_none() {
            return Err(format!("unknown option '{}'; see 'cargo andweorc --help'", arg.escape_debug()));
        }
        let value = match joined.map(String::from).or_else(|| rest.next().cloned()) {
            Some(value) => value,
            None => return Err(format!("option '{}' requires an argument", name)),
        };
        if let Some(place) = self.own(name) {
            *place = Some(value);
        } else if is_cargos {
            self.is_optimized |= name == "--profile" && value != "dev";
            self.cargo.extend([name.to_string(), value]);
        } else {
            self.record.extend([name.to_string(), value]);
        }
        Ok(())
    }

    /// Where the value of an option of our own goes.
    fn own(&mut self, name: &str) -> Option<&mut Option<String>> {
        match name {
            "-d" | "--duration" => Some(&mut self.duration),
            "-n" | "--runs" => Some(&mut self.runs),
            "-o" | "--output" => Some(&mut self.output),
            "--save-baseline" => Some(&mut self.save),
            "--baseline" => Some(&mut self.baseline),
            "--manifest-path" => Some(&mut self.manifest),
            "--target-dir" => Some(&mut self.target_dir),
            "--round-duration-ms" => Some(&mut self.round_ms),
            "--baseline-rounds" => Some(&mut self.rounds),
            _ => None,
        }
    }

    /// A duration that is said as rounds; of what is not said, what the crate takes.
    fn multiply(&mut self) -> Result<(), String> {
        let number = |name: &str, value: &Option<String>, default: u64| match value {
            Some(text) => text.parse().map_err(|_| format!("bad number '{}' for {}", text.escape_debug(), name)),
            None => Ok(default),
        };
        let ms = number("--round-duration-ms", &self.round_ms, 2000)?;
        let rounds = number("--baseline-rounds", &self.rounds, 10)?;

        if (self.round_ms.is_some() || self.rounds.is_some()) && self.duration.is_none() {
            self.duration = Some((ms as f64 * rounds as f64 / 1000.0).to_string());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(&line.split(' ').map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn each_gets_its_own() {
        let all = parse("--release --bin=a -r f -d 5 --save-baseline x -s=3 -- -d 6").unwrap_err();
        assert!(all.contains("-s=3"));
        let all = parse("--release --bin=a -r f -d 5 --save-baseline x --speedups=3 -- -d 6").unwrap();
        assert_eq!(all.cargo, ["--release", "--bin", "a"]);
        assert_eq!(all.record, ["-r", "f", "--speedups", "3"]);
        assert_eq!(all.program, ["-d", "6"]);
        assert_eq!((all.duration.as_deref(), all.save.as_deref(), all.is_optimized), (Some("5"), Some("x"), true));
    }

    #[test]
    fn rounds_are_a_duration() {
        assert_eq!(parse("--round-duration-ms 500 --baseline-rounds 5").unwrap().duration.as_deref(), Some("2.5"));
        assert_eq!(parse("--round-duration-ms 500 -d 7").unwrap().duration.as_deref(), Some("7"));
        assert!(parse("--baseline-rounds x").is_err());
        assert!(parse("--bin").unwrap_err().contains("requires"));
    }
}
