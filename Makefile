# andweorc: a causal profiler as a pipeline of small tools.
#
#   make              build everything under O (default: build)
#   make demo         install what is missing, build, profile a real program, show report and curve
#   make check        install what is missing, build, run every test through prove
#   make deps         install what is missing
#   make predictions  predictions of waits of all kinds against known answers (*)
#   make accuracy     intervals by simulation, numbers against R, predicted against measured speedups (*)
#   make predecessors  Coz's benchmarks and OmniTrace's test: the truth, what Coz says, what andweorc says (*)
#   make installed    programs of the distribution, predicted against functions that are really made slower (*)
#   make changes      what comparisons find of a change, and of none, recorded for real (*)
#   make recordings   do intervals of real recordings hold the truth (*)
#   make bench        overhead, start-up, symbolisation (*)
#   make fuzz         random input to what reads untrusted files; FUZZ_SECONDS=30 each, with clang
#   make install      DESTDIR= prefix=/usr/local
#
# (*) takes minutes, says how many, and is to run alone.
#
# Variables: O=DIR  V=1  LONG=1 (all variants of tests)  CC=clang  CFLAGS=...  SANITIZE=address,undefined  WERROR=1

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
# Objects are kept, although pattern rules alone name them.
.SECONDARY:

O        ?= build
# make takes a blank for the end of a name.
ifneq ($(words $(O)),1)
$(error O='$(O)': make cannot build in a directory with a blank in its name; make a link to it, and build there)
endif
prefix   ?= /usr/local
bindir   ?= $(prefix)/bin
libdir   ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir  ?= $(prefix)/share
mandir   ?= $(datadir)/man
docdir   ?= $(datadir)/doc/andweorc
bashcompdir ?= $(datadir)/bash-completion/completions
zshcompdir  ?= $(datadir)/zsh/site-functions
fishcompdir ?= $(datadir)/fish/vendor_completions.d
rustdir  ?= $(datadir)/andweorc/rust
VERSION  := $(shell sed -n 's/^\#define ANDWEORC_VERSION "\(.*\)"/\1/p' lib/base/cli.h)

ifeq ($(origin CC),default)
CC := gcc
endif
CFLAGS   ?= -O2 -g
RUSTC    ?= rustc
PROVE    ?= prove
INSTALL  ?= install

Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n' '$(1)' '$(patsubst $(O)/%,%,$@)')

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Wundef \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wold-style-definition $(if $(WERROR),-Werror)
C_ONLY := -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
STD  := -std=c11 -D_GNU_SOURCE -Ilib
SAN  := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)

# The tools link these; the runtime links nothing but libc.
PKGS      := libdw libelf gsl jansson zlib libzstd
# Asked when first wanted, which is after `make deps`, and once: not for every file that is compiled.
once       = $(eval $(1) := $(shell { $(2); } 2>/dev/null))$($(1))
PKG_CFLAGS = $(call once,PKG_CFLAGS,pkg-config --cflags $(PKGS))
DW_LIBS    = $(call once,DW_LIBS,pkg-config --libs libdw libelf zlib libzstd; echo -liberty)
GSL_LIBS   = $(call once,GSL_LIBS,pkg-config --libs gsl)
JSON_LIBS  = $(call once,JSON_LIBS,pkg-config --libs jansson)

TOOLS := $(patsubst cmd/%.c,%,$(wildcard cmd/andweorc-*.c))

# The rooms of the tools' library, the lowest first; lib/README.md says what is in each.
ROOMS := base format text source estimate binary replay finding match resolve profile analysis report view diff publish plot target regions recorder
ROOMS_SRC    := $(foreach room,$(ROOMS),$(wildcard lib/$(room)/*.c))
VCLOCK_SRC   := $(wildcard lib/vclock/*.c)
RUNTIME_SRC  := $(VCLOCK_SRC) $(wildcard lib/runtime/*.c lib/wrap/*.c)

obj = $(patsubst %.c,$(O)/%.o,$(1))
LIB_OBJ     := $(call obj,$(ROOMS_SRC) $(VCLOCK_SRC))
RUNTIME_OBJ := $(RUNTIME_SRC:%.c=$(O)/pic/%.o)
TOOL_OBJ    := $(call obj,$(wildcard cmd/*.c))
REPLAY_OBJ  := $(call obj,$(wildcard t/bench/history/*.c))

UNIT      := $(patsubst t/unit/%.c,$(O)/t/unit/%,$(wildcard t/unit/*.c))
RUST_MODULES  := t/workload/workload.rs
RUST_CRATE    := $(O)/t/workload/libandweorc.rlib
RUST_PROGRAMS := $(filter-out $(RUST_MODULES),$(wildcard t/workload/*.rs))
WORKLOAD  := $(patsubst t/workload/%.c,$(O)/t/workload/%,$(wildcard t/workload/*.c)) \
	$(patsubst t/workload/%.cc,$(O)/t/workload/%,$(wildcard t/workload/*.cc)) $(O)/t/workload/plugin.so \
	$(O)/t/workload/openmp-llvm $(if $(shell command -v $(RUSTC)),$(RUST_PROGRAMS:t/workload/%.rs=$(O)/t/workload/%))
# Those of t/program that several tests run, or that take long to compile.  Tests compile the others themselves.
PROGRAMS  := attached eintr io-bytes io-files io-sockets life points processes sandbox sync-futex sync-locks sync-signals
BOUND     := descriptors handlers limits sandbox scribble signals threads traced
FORTIFIED := io-bytes io-files io-sockets
PROGRAM   := $(PROGRAMS:%=$(O)/t/program/%) $(BOUND:%=$(O)/t/program/bound/%) $(FORTIFIED:%=$(O)/t/program/fortified/%) \
	$(O)/t/program/sync-g++ $(O)/t/program/sync-clang++ $(if $(shell command -v $(RUSTC)),$(O)/t/program/sync-rust $(O)/t/program/sync-rust-abort)
BENCH     := $(patsubst t/bench/%.c,$(O)/t/bench/%,$(wildcard t/bench/*.c))
EXAMPLES  := $(patsubst share/andweorc/examples/%.c,$(O)/examples/%,$(wildcard share/andweorc/examples/*.c))

.PHONY: all
all: $(TOOLS:%=$(O)/%) $(O)/libandweorc.so $(EXAMPLES) static

# Flags are tracked: a change of compiler or flags rebuilds what it touches.
FLAGS := $(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(SAN) $(WARN)
$(O)/flags: FORCE
	@mkdir -p $(@D); echo '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(FLAGS))' > $@
.PHONY: FORCE
FORCE:

# Headers are tracked by the compiler (-MMD).
COMPILE = $(CC) $(STD) $(CPPFLAGS) $(PKG_CFLAGS) $(WARN) $(CFLAGS)

# The way from the tools to the runtime once they are installed.  It is tracked, too.
RUNTIME_DIR := $(or $(shell realpath -m --relative-to='$(bindir)' '$(libdir)/andweorc' 2>/dev/null),../lib/andweorc)
$(O)/runtime-dir: FORCE
	@mkdir -p $(@D); echo '$(RUNTIME_DIR)' | cmp -s - $@ || echo '$(RUNTIME_DIR)' > $@
$(O)/lib/target/preload.o: $(O)/runtime-dir
$(O)/lib/target/preload.o: COMPILE += -DRUNTIME_DIR='"$(RUNTIME_DIR)"'

# Counts calls of functions while their arguments are in vector registers.
$(O)/pic/lib/runtime/callpoint.o $(O)/static/lib/runtime/callpoint.o: COMPILE += $(if $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),-mgeneral-regs-only)

$(O)/pic/%.o: %.c $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -MMD -MP -c -o $@ $<

$(O)/%.o: %.c $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(SAN) -MMD -MP -c -o $@ $<

# Each group of objects is an archive, so that a program takes only what it calls.
$(O)/libtools.a: $(LIB_OBJ)
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

$(O)/libandweorc.so: $(RUNTIME_OBJ)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libandweorc.so -Wl,-z,now -Wl,-z,defs -o $@ $(RUNTIME_OBJ)

# The same for programs that are linked statically: there the linker puts our functions in the place of libc's
# (ld's --wrap), as the response file says.  OpenMP's, MPI's and Kokkos' are left alone.  Without a libc.a there is nothing to link with.
STATIC_OBJ := $(patsubst %.c,$(O)/static/%.o,$(filter-out $(foreach p,omp gomp ompt mpi kokkos liburing library,lib/wrap/$(p)%),$(RUNTIME_SRC)))
LIBC_A     := $(wildcard $(shell $(CC) -print-file-name=libc.a 2>/dev/null))
STATIC     := $(if $(LIBC_A),$(O)/libandweorc.a $(O)/libandweorc.rsp)

$(O)/static/%.o: %.c $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -g0 -DANDWEORC_STATIC -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -MMD -MP -c -o $@ $<

# Which of libc's functions we have; names of hosts take shared libraries even in static programs.
$(O)/static/wrapped: $(STATIC_OBJ)
	$(Q)nm -g --defined-only $(LIBC_A) 2>/dev/null | awk 'NF == 3 { print $$3 }' | sort -u > $@.libc
	$(Q)readelf -sW $(STATIC_OBJ) | awk '$$4 == "FUNC" && $$5 == "GLOBAL" && $$6 == "DEFAULT" && $$7 != "UND" { print $$8 }' | \
		sort -u | comm -12 - $@.libc | grep -v '^getaddrinfo$$' > $@

# One object, so that none of its names but those can meet one of the program's.
$(O)/libandweorc.a: $(STATIC_OBJ) $(O)/static/wrapped
	$(call say,AR)
	$(Q)$(LD) -r -o $(O)/static/whole.o $(STATIC_OBJ)
	$(Q)sed 's/.*/& __wrap_&/' $(O)/static/wrapped > $(O)/static/renamed
	$(Q)objcopy --localize-hidden --redefine-syms=$(O)/static/renamed $(O)/static/whole.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(O)/static/whole.o

# @LIB@ is where the archive will be; a blank may be in it.
$(O)/static/rsp: $(O)/static/wrapped
	$(Q){ echo '-Wl,-u,andweorc_linked_in'; echo '"@LIB@/libandweorc.a"'; sed 's/.*/-Wl,--wrap=&\n-Wl,-u,&/' $<; } > $@
$(O)/libandweorc.rsp: $(O)/static/rsp
	$(Q)sed 's|@LIB@|$(abspath $(O))|' $< > $@

$(O)/andweorc-%: $(O)/cmd/andweorc-%.o $(O)/libtools.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SAN) -o $@ $< $(O)/libtools.a -Wl,--as-needed $(DW_LIBS) $(GSL_LIBS) $(JSON_LIBS) -lm -pthread

$(O)/t/unit/%: $(O)/t/unit/%.o $(O)/libtools.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SAN) -o $@ $< $(O)/libtools.a -Wl,--as-needed -lcmocka $(DW_LIBS) $(GSL_LIBS) $(JSON_LIBS) -lm -pthread

$(O)/t/accuracy/%: $(O)/t/accuracy/%.o $(O)/libtools.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SAN) -o $@ $< $(O)/libtools.a -Wl,--as-needed $(DW_LIBS) $(GSL_LIBS) $(JSON_LIBS) -lm -pthread

# Programs under test are compiled as users compile theirs: -O2 -g, no frame pointers, no help for the profiler.
$(O)/t/workload/% $(O)/t/bench/%: TEST_CFLAGS = -O2 -g
# Coz of Debian 12 reads no later debug information.
$(O)/t/workload/coz%: TEST_CFLAGS = -O2 -g -gdwarf-3 -gstrict-dwarf
WORKLOAD_H := $(wildcard t/workload/*.h t/workload/*/*.h) t/program/cozlike.h lib/andweorc.h
BENCH_H := $(wildcard t/bench/*.h) lib/andweorc.h
$(O)/t/workload/%: t/workload/%.c $(WORKLOAD_H) $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(TEST_CFLAGS) -o $@ $< -pthread -lm
$(O)/t/workload/%: t/workload/%.cc $(WORKLOAD_H) $(O)/flags
	$(call say,CXX)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++20 -D_GNU_SOURCE -Ilib $(filter-out $(C_ONLY),$(WARN)) $(TEST_CFLAGS) -o $@ $< -pthread
# With Rust 1.63 or newer; without any, these programs do not exist.
COMPILE_RUST = MAKEFLAGS= $(RUSTC) --edition 2021 $(if $(WERROR),-D warnings) -O -g -o $@
$(RUST_CRATE): share/rust/andweorc/src/lib.rs $(wildcard share/rust/andweorc/src/*.rs) $(O)/flags
	$(call say,RUSTC)
	@mkdir -p $(@D)
	$(Q)$(COMPILE_RUST) --crate-type rlib --crate-name andweorc $<
$(O)/t/workload/%: t/workload/%.rs $(RUST_MODULES) $(RUST_CRATE) $(O)/flags
	$(call say,RUSTC)
	@mkdir -p $(@D)
	$(Q)$(COMPILE_RUST) --extern andweorc=$(RUST_CRATE) $<
$(O)/t/workload/plugin.so: t/workload/plugin/loaded.c $(WORKLOAD_H) $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(TEST_CFLAGS) -fPIC -shared -o $@ $<
PROGRAM_H := $(wildcard t/program/*.h) lib/andweorc.h
define COMPILE_PROGRAM
$(call say,CC)
@mkdir -p $(@D)
$(Q)gcc -O2 -g -D_GNU_SOURCE -Ilib $(PROGRAM_FLAGS) -o $@ '$(CURDIR)/$<' -pthread -ldl -lrt
endef
# Without lazy binding, for which the dynamic linker needs a stack, too.
$(O)/t/program/bound/%: PROGRAM_FLAGS = -Wl,-z,now
# With the functions that _FORTIFY_SOURCE puts in the place of others.
$(O)/t/program/fortified/%: PROGRAM_FLAGS = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -w
$(O)/t/program/%: t/program/%.c $(PROGRAM_H) $(O)/flags
	$(COMPILE_PROGRAM)
$(O)/t/program/bound/%: t/program/%.c $(PROGRAM_H) $(O)/flags
	$(COMPILE_PROGRAM)
$(O)/t/program/fortified/%: t/program/%.c $(PROGRAM_H) $(O)/flags
	$(COMPILE_PROGRAM)
# Where such a compiler is missing, its program is.
$(O)/t/program/sync-%++: t/program/sync.cc $(PROGRAM_H) $(O)/flags
	$(call say,CXX)
	@mkdir -p $(@D)
	$(Q)rm -f $@; ! echo 'int main() {}' | $*++ -std=c++20 -x c++ -o $@ - 2>/dev/null || \
		$*++ -std=c++20 -O2 -g -Ilib -o $@ '$(CURDIR)/$<' -pthread
$(O)/t/program/sync-rust: t/program/sync.rs $(RUST_CRATE) $(O)/flags
	$(call say,RUSTC)
	@mkdir -p $(@D)
	$(Q)$(COMPILE_RUST) -D warnings --extern andweorc=$(RUST_CRATE) '$(CURDIR)/$<'
$(O)/t/program/sync-rust-abort: t/program/sync.rs $(RUST_CRATE) $(O)/flags
	$(call say,RUSTC)
	@mkdir -p $(@D)
	$(Q)MAKEFLAGS= $(RUSTC) --edition 2021 -C opt-level=3 -C codegen-units=1 -C panic=abort --extern andweorc=$(RUST_CRATE) -o $@ '$(CURDIR)/$<'
# One source for both OpenMP runtimes.  Where one is missing, its programs are.
OPENMP_CC = $(if $(findstring clang,$(CC)),gcc,$(CC))
$(O)/t/workload/openmp-llvm: OPENMP_CC = $(if $(findstring clang,$(CC)),$(CC),clang)
$(O)/t/workload/openmp $(O)/t/workload/openmp-llvm: t/workload/openmp.c $(WORKLOAD_H)
$(O)/t/bench/omp: t/bench/omp.c $(BENCH_H)
$(O)/t/workload/openmp $(O)/t/workload/openmp-llvm $(O)/t/bench/omp: $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)rm -f $@; ! echo 'int main(void) { return 0; }' | $(OPENMP_CC) -fopenmp -x c -o $@ - 2>/dev/null || \
		$(OPENMP_CC) $(STD) $(WARN) $(TEST_CFLAGS) -fopenmp -o $@ $(filter %.c,$^) -pthread -lm
$(O)/t/bench/%: t/bench/%.c $(BENCH_H) $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(TEST_CFLAGS) -o $@ $< -pthread -lm
# This one asks the library.
$(O)/t/bench/replay: $(O)/t/bench/replay.o $(REPLAY_OBJ) $(O)/libtools.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SAN) -o $@ $< $(REPLAY_OBJ) $(O)/libtools.a -Wl,--as-needed $(DW_LIBS) $(GSL_LIBS) $(JSON_LIBS) -lm -pthread
# Whatever CFLAGS say, the demo needs lines.
$(O)/examples/%: share/andweorc/examples/%.c lib/andweorc.h $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) -g -o $@ $< -pthread -lz -lzstd -lm

.PHONY: unit workload bench-programs
unit: $(UNIT)
workload: $(WORKLOAD) $(PROGRAM)
bench-programs: $(BENCH)

.PHONY: static
static: $(STATIC)

# ---- what people call -------------------------------------------------------

.PHONY: deps demo-deps demo check predictions accuracy predecessors installed changes recordings bench fuzz
deps:
	$(Q)ci/deps

# What tests alone need may be missing.
demo-deps:
	$(Q)ci/deps --demo

demo: demo-deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)share/andweorc/demo $(O)

check: deps
	$(Q)$(MAKE) --no-print-directory all unit workload bench-programs
	$(Q)O='$(O)' t/run

# What the long ones do, and how long that takes, before anything is built.
MEASUREMENTS := $(addprefix say-,predictions accuracy predecessors installed changes recordings bench)
.PHONY: $(MEASUREMENTS)
$(MEASUREMENTS): say-%:
	$(Q)O='$(O)' t/announce $*

predictions: say-predictions all workload
	$(Q)O='$(O)' JOBS=1 t/run t/91*.t

accuracy: say-accuracy all workload unit $(O)/t/accuracy/numbers
	$(Q)O='$(O)' t/accuracy/coverage
	$(Q)O='$(O)' t/accuracy/oracle
	$(Q)echo 'simulating comparisons' >&2
	$(Q)DIFF_REPS=10000 $(O)/t/unit/compare-test
	$(Q)O='$(O)' t/accuracy/simulate
	$(Q)O='$(O)' t/accuracy/run
	$(Q)O='$(O)' t/accuracy/latency

predecessors: say-predecessors all workload
	$(Q)O='$(O)' CC='$(CC)' t/accuracy/predecessors

installed: say-installed all
	$(Q)O='$(O)' CC='$(CC)' t/accuracy/installed

changes: say-changes all workload
	$(Q)rm -rf '$(O)/changes'
	$(Q)for pct in 10 20 30; do O='$(O)' t/accuracy/changes slower $$pct serial half; done
	$(Q)O='$(O)' CHG_BLOCKS=4 CHG_REGIONS=1 CHG_RECORD='--window 30 -s 30,60' t/accuracy/changes same 12 serial
	$(Q)O='$(O)' t/accuracy/changes table

recordings: say-recordings all workload
	$(Q)rm -rf '$(O)/recordings'
	$(Q)O='$(O)' t/accuracy/recordings record pool
	$(Q)O='$(O)' t/accuracy/recordings record serial half third
	$(Q)O='$(O)' t/accuracy/recordings table

bench: say-bench all workload bench-programs
	$(Q)O='$(O)' t/bench/run

# Built and run on its own, with sanitizers.  What is found stays in $(O)/fuzz.
FUZZ         := $(patsubst t/fuzz/%.c,%,$(wildcard t/fuzz/*.c))
FUZZ_CC      ?= clang
FUZZ_SECONDS ?= 30
$(O)/t/fuzz/%: $(O)/t/fuzz/%.o $(O)/libtools.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SAN) -fsanitize=fuzzer -o $@ $< $(O)/libtools.a -Wl,--as-needed $(DW_LIBS) $(GSL_LIBS) $(JSON_LIBS) -lm -pthread

fuzz:
	$(Q)$(MAKE) --no-print-directory O='$(O)/fuzz' CC='$(FUZZ_CC)' CFLAGS='-O1 -g' SANITIZE=fuzzer-no-link,address,undefined \
		$(FUZZ:%=$(O)/fuzz/t/fuzz/%)
	$(Q)for target in $(FUZZ); do O='$(O)/fuzz' t/fuzz/run $$target '$(FUZZ_SECONDS)' || exit 1; done

# ---- installation -----------------------------------------------------------

# Crates come as sources: cargo builds them with the programs that use them.
RUST_SRC := $(patsubst share/rust/%,%,$(wildcard $(foreach f,Cargo.toml README.md src/*.rs examples/*.rs,share/rust/*/$(f))))

.PHONY: install uninstall
install: all
	$(INSTALL) -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(libdir)/andweorc' '$(DESTDIR)$(libdir)/pkgconfig' \
		'$(DESTDIR)$(includedir)' '$(DESTDIR)$(mandir)/man1' '$(DESTDIR)$(mandir)/man3' '$(DESTDIR)$(mandir)/man5' \
		'$(DESTDIR)$(docdir)' '$(DESTDIR)$(bashcompdir)' '$(DESTDIR)$(zshcompdir)' '$(DESTDIR)$(fishcompdir)'
	$(INSTALL) -m 755 $(TOOLS:%=$(O)/%) '$(DESTDIR)$(bindir)'
	$(INSTALL) -m 755 $(O)/libandweorc.so '$(DESTDIR)$(libdir)/andweorc'
	$(if $(STATIC),$(INSTALL) -m 644 $(O)/libandweorc.a '$(DESTDIR)$(libdir)/andweorc')
	$(if $(STATIC),sed 's|@LIB@|$(libdir)/andweorc|' $(O)/static/rsp > '$(DESTDIR)$(libdir)/andweorc/libandweorc.rsp')
	$(INSTALL) -m 644 lib/andweorc.h '$(DESTDIR)$(includedir)'
	sed -e 's|@prefix@|$(prefix)|g' -e 's|@includedir@|$(includedir)|g' -e 's|@VERSION@|$(VERSION)|g' \
		share/andweorc.pc.in > '$(DESTDIR)$(libdir)/pkgconfig/andweorc.pc'
	for m in share/man/man*/*; do $(INSTALL) -m 644 "$$m" '$(DESTDIR)$(mandir)'/"$${m#share/man/}"; done
	for m in share/doc/*.md; do $(INSTALL) -m 644 "$$m" '$(DESTDIR)$(docdir)'; done
	# bash looks for a file of the name of the command
	for t in $(TOOLS); do $(INSTALL) -m 644 share/completions/andweorc.bash '$(DESTDIR)$(bashcompdir)'/"$$t"; done
	$(INSTALL) -m 644 share/completions/_andweorc '$(DESTDIR)$(zshcompdir)'
	$(INSTALL) -m 644 share/completions/*.fish '$(DESTDIR)$(fishcompdir)'
	for f in $(RUST_SRC); do $(INSTALL) -D -m 644 "share/rust/$$f" '$(DESTDIR)$(rustdir)'/"$$f"; done

uninstall:
	rm -f $(TOOLS:%='$(DESTDIR)$(bindir)/%') '$(DESTDIR)$(libdir)/andweorc/libandweorc.so' \
		'$(DESTDIR)$(libdir)/andweorc/libandweorc.a' '$(DESTDIR)$(libdir)/andweorc/libandweorc.rsp' \
		'$(DESTDIR)$(includedir)/andweorc.h' '$(DESTDIR)$(libdir)/pkgconfig/andweorc.pc'
	for m in share/man/man*/*; do rm -f '$(DESTDIR)$(mandir)'/"$${m#share/man/}"; done
	for m in share/doc/*.md; do rm -f '$(DESTDIR)$(docdir)'/"$${m#share/doc/}"; done
	-rmdir '$(DESTDIR)$(docdir)' 2>/dev/null
	rm -f $(TOOLS:%='$(DESTDIR)$(bashcompdir)/%') '$(DESTDIR)$(zshcompdir)/_andweorc' $(TOOLS:%='$(DESTDIR)$(fishcompdir)/%.fish')
	rm -f $(RUST_SRC:%='$(DESTDIR)$(rustdir)/%')
	-rmdir '$(DESTDIR)$(libdir)/andweorc' 2>/dev/null
	-rmdir -p $(patsubst %/,'$(DESTDIR)$(rustdir)/%',$(sort $(dir $(filter %.rs,$(RUST_SRC))))) 2>/dev/null

.PHONY: clean
clean:
	rm -rf '$(O)'

-include $(wildcard $(O)/*/*.d $(O)/*/*/*.d $(O)/*/*/*/*.d)
