# shellcheck shell=sh disable=SC2034,SC2154
# What t/0295-async.t and t/9180-async.t share: programs with tasks that go from thread to thread.

# A toolchain that rustup has installed is the user's, and lib.sh has taken HOME away.
PATH=$PATH:${CARGO_HOME:-$home/.cargo}/bin
RUSTUP_HOME=${RUSTUP_HOME:-$home/.rustup}
test ! -d "$RUSTUP_HOME" || export RUSTUP_HOME
unset CARGO_HOME

registry=/usr/share/cargo/registry # of Debian's librust-*-dev

# make_tasks: ./tasks of program/tasks.rs, without network; fails where cargo or tokio is missing
make_tasks() {
	test -n "$(find "$registry" -maxdepth 1 -name 'tokio-1.*' 2>/dev/null)" && cargo --version >/dev/null 2>&1 || return 1
	mkdir -p crate/.cargo
	printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$registry" >crate/.cargo/config.toml
	cat >crate/Cargo.toml <<-END
		[package]
		name = "tasks"
		version = "0.1.0"
		edition = "2021"

		[[bin]]
		name = "tasks"
		path = "$programs/tasks.rs"

		[dependencies]
		tokio = { version = "1", default-features = false, features = ["rt-multi-thread", "sync"] }
		andweorc = { path = "$scratch/andweorc" }

		[profile.release]
		debug = true
	END
	# Cargo writes beside its sources.
	cp -R "$top/share/rust/andweorc" "$scratch/andweorc"
	rm -rf "$scratch/andweorc/target" "$scratch/andweorc/Cargo.lock"
	(cd crate && CARGO_NET_OFFLINE=true timeout 300 cargo build --release --target-dir ../target) >build 2>&1 &&
		cp target/release/tasks tasks
}
