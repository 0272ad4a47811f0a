//! Recording the program, by the program: who does what.
//!
//! The process that was started (the first) starts `andweorc-record`, which executes the program again, any number
//! of times (the recorded ones).  They share a directory that the variable SESSION names:
//!
//! - `recording`: the request that is being recorded
//! - `result.N`: results of earlier calls of a Runner, for those that pass them again
//! - `points`: names given to run_experiments, a line each
//! - `runner`: there when a recorded process is at the Runner's call that the recording is for
//! - `request`: what a recorded process wants recorded instead
//!
//! A first process that needs a recording later on has threads by then that would disturb it.  So it executes
//! itself anew, with the request in the directory and its own process number in FIRST.

use crate::results::{Impact, Results};
use crate::runner::RunnerConfig;
use crate::{facts, runtime, tools, wait, Error};
use std::env;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write;
use std::os::raw::{c_int, c_ulong};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const SESSION: &str = "ANDWEORC_SESSION";
const FIRST: &str = "ANDWEORC_FIRST";

/// A program that asks for something else each time it is run is not asked for ever.
const MAX_REQUESTS: usize = 5;

enum Role {
    /// Not profiled, or by somebody who does not see this process.
    Idle,
    /// Under andweorc-record; with a directory, one that a first process has started.
    Recorded(Option<PathBuf>),
    First,
}

fn role() -> Role {
    let session = env::var_os(SESSION).map(PathBuf::from);
    let is_first = || session.is_none() || env::var(FIRST) == Ok(process::id().to_string());

    if runtime::is_there() {
        return Role::Recorded(session);
    }
    match env::var("ANDWEORC_ENABLED") {
        Ok(value) if !value.is_empty() && value != "0" && is_first() => Role::First,
        _ => Role::Idle,
    }
}

/// What to record: for which call of a Runner, if it is for one, and options of andweorc-record.
#[derive(Clone, PartialEq)]
struct Request {
    call: Option<usize>,
    options: Vec<String>,
}

impl Request {
    fn to_text(&self) -> String {
        let call = self.call.map_or(String::new(), |n| n.to_string());

        format!("{}\n{}\n", call, self.options.join("\n"))
    }

    fn of_text(text: &str) -> Request {
        let mut lines = text.lines();

        Request { call: lines.next().and_then(|n| n.parse().ok()), options: lines.map(String::from).collect() }
    }
}

/// Of the first process: whether it has recorded, and what came out for each call of a Runner.
struct Past {
    started: bool,
    results: Vec<String>,
}

static PAST: Mutex<Past> = Mutex::new(Past { started: false, results: Vec::new() });
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Microseconds between samples; 0: as many as andweorc-record takes by itself.
static INTERVAL: AtomicU64 = AtomicU64::new(0);

/// What it can be told.
const LEAST_US: u64 = 50;
const MOST_US: u64 = 1_000_000;

fn past() -> std::sync::MutexGuard<'static, Past> {
    PAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn cannot(what: &str, path: &Path, error: std::io::Error) -> Error {
    Error::new(format!("cannot {} '{}': {}", what, path.display(), error))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|e| cannot("write", path, e))
}

/// A directory of this session; what it holds is nobody else's business.
fn new_directory() -> Result<PathBuf, Error> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos());
    let dir = env::temp_dir().join(format!("andweorc-{}-{}", process::id(), now));

    DirBuilder::new().mode(0o700).create(&dir).map_err(|e| cannot("create", &dir, e))?;
    Ok(dir)
}

fn write_results(dir: &Path, results: &[String]) -> Result<(), Error> {
    results.iter().enumerate().try_for_each(|(i, text)| write(&dir.join(format!("result.{}", i)), text))
}

// ---- the recorder -----------------------------------------------------------

const SIGINT: c_int = 2;
const SIGQUIT: c_int = 3;
const SIGTERM: c_int = 15;
const SIG_IGN: usize = 1;
const PR_SET_PDEATHSIG: c_int = 1;

extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
    fn kill(pid: c_int, number: c_int) -> c_int;
    fn prctl(option: c_int, ...) -> c_int;
}

/// A signal, and what was to happen at it.
type Handler = (c_int, usize);

/// What a terminal sends to all is the recorder's business.
fn leave_signals() -> [Handler; 2] {
    // SAFETY: these are values that signal(2) takes.
    [SIGINT, SIGQUIT].map(|number| (number, unsafe { signal(number, SIG_IGN) }))
}

fn restore_signals(handlers: [Handler; 2]) {
    for (number, handler) in handlers {
        // SAFETY: signal(2) has returned the value, for this signal.
        unsafe { signal(number, handler) };
    }
}

fn command(dir: &Path, log: &Path, request: &Request) -> Result<Command, Error> {
    let program = env::current_exe().map_err(|e| Error::new(format!("cannot find the program's own file: {}", e)))?;
    let mut command = Command::new(tools::recorder().map_err(Error::new)?);
    let more = env::var("ANDWEORC_OPTIONS").unwrap_or_default();

    // What is to be used later is looked for now.
    for name in ["andweorc-resolve", "andweorc-analyze"] {
        tools::tool(name).map_err(Error::new)?;
    }
    command.arg("-o").arg(log).args(&request.options);
    match INTERVAL.load(Ordering::Relaxed) {
        0 => {}
        us => drop(command.arg("--period").arg(us.clamp(LEAST_US, MOST_US).to_string())),
    }
    command.args(more.split_whitespace());
    command.arg("--").arg(program).args(env::args_os().skip(1));
    command.env(SESSION, dir).env_remove(FIRST);
    Ok(command)
}

/// Its options, without the log and the program.
fn shown(command: &Command) -> String {
    let options: Vec<_> =
        command.get_args().skip(2).take_while(|arg| *arg != "--").map(|arg| arg.to_string_lossy()).collect();

    format!("andweorc-record {}", options.join(" ")).escape_debug().to_string()
}

fn ask_to_end(child: &Child) {
    // SAFETY: the child has not been waited for, so that the number is still its.
    unsafe { kill(child.id() as c_int, SIGTERM) };
}

/// Until it has ended, or a recorded process wants something else: then it is ended.
fn wait_for(mut child: Child, dir: &Path) -> std::io::Result<ExitStatus> {
    let (request, decided) = (dir.join("request"), [dir.join("runner"), dir.join("points")]);

    // From then on there is nothing to look for.
    while !decided.iter().any(|path| path.exists()) {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if request.exists() {
            eprintln!("andweorc: the program asks for other experiments, and is recorded anew");
            ask_to_end(&child);
            break;
        }
        sleep(Duration::from_millis(100));
    }
    child.wait()
}

fn run_recorder(dir: &Path, log: &Path, request: &Request) -> Result<ExitStatus, Error> {
    let mut command = command(dir, log, request)?;

    eprintln!("andweorc: recording the program ({})", shown(&command));
    let before = leave_signals();
    let prepare = move || {
        restore_signals(before);
        // SAFETY: this is the option's only argument.
        unsafe { prctl(PR_SET_PDEATHSIG, SIGTERM as c_ulong) };
        Ok(())
    };
    // SAFETY: signal(2) and prctl(2) may be called between fork and exec.  The recorder ends with this process.
    let child = unsafe { command.pre_exec(prepare) }.spawn();
    let status = child.and_then(|child| wait_for(child, dir));
    restore_signals(before);
    status.map_err(|e| Error::new(format!("cannot run andweorc-record: {}", e)))
}

// ---- the first process ------------------------------------------------------

/// The lines that impacts are read from.
fn analyze(dir: &Path, log: &Path) -> Result<String, Error> {
    let (resolved, analysis) = (dir.join("resolved"), dir.join("analysis"));
    let read = |path: &Path| fs::read(path).map_err(|e| cannot("read", path, e));

    tools::run_into("andweorc-resolve", &[log], &resolved).map_err(Error::new)?;
    tools::run_into("andweorc-analyze", &["--format".as_ref(), "andweorc".as_ref(), resolved.as_os_str()], &analysis)
        .map_err(Error::new)?;
    Ok(facts::needed_of(&String::from_utf8_lossy(&read(&resolved)?)) + &String::from_utf8_lossy(&read(&analysis)?))
}

fn impacts_of(lines: &str, point: &str) -> Vec<Impact> {
    facts::impacts(lines).into_iter().filter(|i| i.point == point).collect()
}

fn results_of(lines: &str, point: &str) -> Results {
    Results::new(impacts_of(lines, point), facts::experiments(lines, point))
}

/// Prints what there is of each point that was named; of all, where none was.
fn print_results(dir: &Path, lines: &str) {
    let mut names: Vec<String> =
        fs::read_to_string(dir.join("points")).unwrap_or_default().lines().map(String::from).collect();

    if names.is_empty() {
        names = facts::impacts(lines).into_iter().map(|i| i.point).collect();
    }
    let mut seen: Vec<&String> = Vec::new();
    for name in &names {
        if !seen.contains(&name) {
            seen.push(name);
            println!(
                "\nProgress point '{}'\n{}",
                name.escape_debug(),
                Results::new(impacts_of(lines, name), Vec::new())
            );
        }
    }
    if env::var_os("ANDWEORC_LOG").is_none() {
        eprintln!("andweorc: with ANDWEORC_LOG=FILE the log is kept, for all that andweorc-analyze can say of it");
    }
}

/// Records, analyzes, and returns what came out for the Runner that a recorded process has got to; without such a
/// one it prints the results.
fn record(dir: &Path, request: &Request) -> Result<Outcome, Error> {
    let log = env::var_os("ANDWEORC_LOG").map_or_else(|| dir.join("log"), PathBuf::from);

    write(&dir.join("recording"), &request.to_text())?;
    let status = run_recorder(dir, &log, request)?;
    if let Ok(text) = fs::read_to_string(dir.join("request")) {
        return Ok(Outcome::Other(Request::of_text(&text)));
    }
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    let has_run = || fs::read(&log).map_or(false, |bytes| bytes.windows(5).any(|w| w == b"\nrun\t"));
    if (125..128).contains(&code) && !has_run() {
        return Err(Error::new(format!("andweorc-record failed with status {}", code)));
    }
    let lines = analyze(dir, &log)?;
    if dir.join("runner").exists() {
        return Ok(Outcome::OfRunner(lines));
    }
    if request.call.is_some() {
        return Err(Error::new(format!(
            "the program has not got to the Runner's call while it was recorded (status {})",
            code
        )));
    }
    print_results(dir, &lines);
    Ok(Outcome::Done(code))
}

enum Outcome {
    OfRunner(String),
    Other(Request),
    Done(i32),
}

/// Records what is requested, and what the program wants recorded instead; adds a result to those of the past.
fn conduct(mut request: Request, results: &mut Vec<String>) -> Result<(), Error> {
    for _ in 0..MAX_REQUESTS {
        let dir = new_directory()?;
        let outcome = write_results(&dir, results).and_then(|()| record(&dir, &request));
        // What stays is small, and nobody's loss.
        let _ = fs::remove_dir_all(&dir);
        match outcome? {
            Outcome::OfRunner(lines) => {
                results.push(lines);
                return Ok(());
            }
            Outcome::Other(wanted) => request = wanted,
            Outcome::Done(code) => process::exit(code),
        }
    }
    Err(Error::new("the program wants another recording each time it is run"))
}

/// What this process wanted of itself before it executed itself anew.
fn take_over() -> Option<(Request, Vec<String>)> {
    let dir = PathBuf::from(env::var_os(SESSION)?);
    let request = Request::of_text(&fs::read_to_string(dir.join("request")).ok()?);
    let results = (0..).map_while(|i| fs::read_to_string(dir.join(format!("result.{}", i))).ok()).collect();

    let _ = fs::remove_dir_all(&dir);
    Some((request, results))
}

fn start_first(request: Option<Request>) -> Result<(), Error> {
    let mut past = past();

    if past.started {
        return Ok(());
    }
    past.started = true;
    let request = match (take_over(), request) {
        (Some((wanted, results)), _) => {
            past.results = results;
            wanted
        }
        (None, Some(wanted)) => wanted,
        (None, None) => Request { call: None, options: RunnerConfig::options_of_environment()? },
    };
    conduct(request, &mut past.results)
}

/// Executes the program anew, to record the request before it does anything else.
fn start_over(request: &Request, results: &[String]) -> Error {
    let prepare = || {
        let dir = new_directory()?;
        write_results(&dir, results)?;
        write(&dir.join("request"), &request.to_text())?;
        let program =
            env::current_exe().map_err(|e| Error::new(format!("cannot find the program's own file: {}", e)))?;
        Ok((dir, program))
    };

    match prepare() {
        Ok((dir, program)) => {
            let mut again = Command::new(program);
            again.args(env::args_os().skip(1)).env(SESSION, &dir).env(FIRST, process::id().to_string());
            let error = again.exec();
            let _ = fs::remove_dir_all(&dir);
            Error::new(format!("cannot execute the program again: {}", error))
        }
        Err(error) => error,
    }
}

// ---- what the crate calls ---------------------------------------------------

/// Records the program, if that is wanted and has not been done.
pub(crate) fn start(interval: Option<Duration>) -> Result<(), Error> {
    match role() {
        Role::First => {
            if let Some(interval) = interval {
                let us = interval.as_micros().max(1) as u64;
                let _ = INTERVAL.compare_exchange(0, us, Ordering::Relaxed, Ordering::Relaxed);
            }
            start_first(None)
        }
        _ => Ok(()),
    }
}

fn note_point(dir: &Path, point: &str) {
    let line = point.replace('\n', " ") + "\n";
    let file = OpenOptions::new().create(true).append(true).open(dir.join("points"));

    if let Err(e) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        eprintln!("andweorc: cannot note the point '{}': {}", point.escape_debug(), e);
    }
}

pub(crate) fn run_experiments(point: &str) {
    match role() {
        Role::Idle => {}
        Role::Recorded(dir) => {
            if let Some(dir) = dir {
                note_point(&dir, point);
            }
            wait::while_working();
        }
        Role::First => {
            if let Err(error) = start_first(None) {
                eprintln!("andweorc: no results: {}", error);
            } else if let Some(lines) = past().results.last() {
                println!("{}", results_of(lines, point));
            }
        }
    }
}

/// What a recorded process does at a Runner's call, until it is ended, or for so long.
fn work(workload: Option<&mut dyn FnMut()>, time: Option<Duration>) {
    let began = Instant::now();

    match workload {
        Some(once) => {
            while time.map_or(true, |time| began.elapsed() < time) {
                once();
            }
        }
        None => wait::while_working(),
    }
}

/// In a process that a first one has had recorded.
fn results_when_recorded(
    dir: &Path,
    wanted: &Request,
    point: &str,
    workload: Option<&mut dyn FnMut()>,
) -> Result<Results, Error> {
    let earlier = wanted.call.and_then(|call| fs::read_to_string(dir.join(format!("result.{}", call))).ok());

    if let Some(lines) = earlier {
        return Ok(results_of(&lines, point));
    }
    if fs::read_to_string(dir.join("recording")).ok().map_or(false, |text| Request::of_text(&text) == *wanted) {
        write(&dir.join("runner"), "")?;
        work(workload, None);
        process::exit(0);
    }
    // All of it or nothing: the first process looks for the name.
    let unfinished = dir.join(format!("request.{}", process::id()));
    write(&unfinished, &wanted.to_text())?;
    fs::rename(&unfinished, dir.join("request")).map_err(|e| cannot("rename", &unfinished, e))?;
    process::exit(0)
}

/// The results of the next call of a Runner.
pub(crate) fn results(
    config: &RunnerConfig,
    point: &str,
    workload: Option<&mut dyn FnMut()>,
) -> Result<Results, Error> {
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let wanted = Request { call: Some(call), options: config.options()? };

    match role() {
        Role::Idle => {
            if let Some(once) = workload {
                once();
            }
            Err(Error::new("the program is not profiled; start it with ANDWEORC_ENABLED=1"))
        }
        Role::Recorded(Some(dir)) => results_when_recorded(&dir, &wanted, point, workload),
        Role::Recorded(None) => {
            work(workload, Some(config.time()));
            Err(Error::new("the results are with the andweorc-record that runs the program"))
        }
        Role::First => {
            start_first(Some(wanted.clone()))?;
            let past = past();
            match past.results.get(call) {
                Some(lines) => Ok(results_of(lines, point)),
                None => Err(start_over(&wanted, &past.results)),
            }
        }
    }
}
