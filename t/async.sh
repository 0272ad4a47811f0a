# shellcheck shell=sh disable=SC2034,SC2154
# What t/0295-async.t and t/9180-async.t share: programs with tasks that go from thread to thread.

# A toolchain that rustup has installed is the user's, and lib.sh has taken HOME away.
PATH=$PATH:${CARGO_HOME:-$home/.cargo}/bin
RUSTUP_HOME=${RUSTUP_HOME:-$home/.rustup}
test ! -d "$RUSTUP_HOME" || export RUSTUP_HOME
unset CARGO_HOME

registry=/usr/share/cargo/registry # of Debian's librust-*-dev

# make_tasks: ./tasks of program/tasks.rs, without network; fails where cargo or tokio is missing.  What cargo makes stays in the
# build directory, as what make makes does: the next time, only what has changed is compiled.
make_tasks() {
	test -n "$(find "$registry" -maxdepth 1 -name 'tokio-1.*' 2>/dev/null)" && cargo --version >/dev/null 2>&1 || return 1
	crate=$O/t/async/crate
	mkdir -p "$crate/.cargo" "$O/t/async/andweorc"
	printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$registry" >"$crate/.cargo/config.toml"
	cat >Cargo.toml <<-END
		[package]
		name = "tasks"
		version = "0.1.0"
		edition = "2021"

		[[bin]]
		name = "tasks"
		path = "$programs/tasks.rs"

		[dependencies]
		tokio = { version = "1", default-features = false, features = ["rt-multi-thread", "sync"] }
		andweorc = { path = "$O/t/async/andweorc" }

		[profile.release]
		debug = true
	END
	cmp -s Cargo.toml "$crate/Cargo.toml" || cp Cargo.toml "$crate"
	# Cargo writes beside its sources.
	cp -Rp "$top/share/rust/andweorc/Cargo.toml" "$top/share/rust/andweorc/src" "$O/t/async/andweorc"
	(cd "$crate" && CARGO_NET_OFFLINE=true timeout 300 cargo build --release --target-dir "$O/t/async/target") >build 2>&1 &&
		cp "$O/t/async/target/release/tasks" tasks
}
