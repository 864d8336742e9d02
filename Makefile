# sketches: a PGXS extension. `make help` lists the targets.
#
# PG_CONFIG names the PostgreSQL to build for, as in every PGXS extension. Only install, deps, bench-deps,
# client-deps and cross-deps change the system; test, demo and bench run in a private copy of that PostgreSQL.
# On a machine without server headers `make deps test` works: what comes after deps runs make again,
# which then sees PGXS. V=1 shows the compilers' commands.

.DEFAULT_GOAL := all

# make separates the names of files by blanks, those of makefiles, too.
ifneq (1,$(words $(MAKEFILE_LIST)))
$(error sketches: there is a blank in the path of the makefile, $(strip $(MAKEFILE_LIST)): run make in its directory)
endif

# The directory of the sources, with a slash, where make was started in another (a VPATH build,
# `make -f /path/to/Makefile`); empty where it is this one.
TOP := $(filter-out ./,$(dir $(firstword $(MAKEFILE_LIST))))

EXTENSION = sketches sketches_postgresql_hll
MODULE_big = sketches

# The types in the order their scripts go into the install script: one before those that use it.
# roaring.sql declares roaring64, too.
TYPES = hashed hll tdigest roaring roaring64 geohash bitfield ratelimit bloom cuckoo cms topk ddsketch theta rollup

PG_CONFIG ?= pg_config
export PG_CONFIG

EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(TOP)sketches.control)
SCRIPT := build/sketches--$(EXTVERSION).sql

include $(TOP)src/croaring.mk

# The files that match, by their names below the sources' directory.
files = $(sort $(patsubst $(TOP)%,%,$(wildcard $(addprefix $(TOP),$(1)))))

CORE := $(call files,src/core/*.c src/core/*/*.c)
GLUE := $(call files,src/pg/*/*.c)
OBJS := $(CORE:.c=.o) $(GLUE:.c=.o) $(call croaring_objects,build/croaring)

# src/upgrade has the scripts of released versions and those that lead from one to the next. The one of
# the version that is built here is made from the sources.
DATA = $(filter-out src/upgrade/$(notdir $(SCRIPT)),$(call files,src/upgrade/*.sql)) \
  src/pg/hll/sketches_postgresql_hll--1.0.sql
DATA_built = $(SCRIPT)

# sql/extension.sql creates the extension for the others, so it comes first.
SQL_FILES := $(patsubst sql/%.sql,%,$(call files,sql/*.sql))
REGRESS = $(filter extension,$(SQL_FILES)) $(filter-out extension,$(SQL_FILES))
REGRESS_OPTS = --inputdir=$(or $(TOP),.) --outputdir=build/regress
REGRESS_PREP = regress-directory
ifeq (,$(filter extension,$(SQL_FILES)))
REGRESS_OPTS += --load-extension=sketches
endif

# Only what PGDLLEXPORT marks leaves the library: PostgreSQL loads libraries with RTLD_GLOBAL, so a
# visible hll_add could be taken for another extension's. PGXS does this from version 16 on.
HIDDEN = -fvisibility=hidden
WARNINGS = -Wall -Wextra -Wno-declaration-after-statement -Wno-missing-field-initializers
# What the server's own headers would be warned about.
GLUE_WARNINGS = -Wno-unused-parameter -Wno-sign-compare

# Only headers are taken from xxHash: it is compiled into the extension. XXHASH_CFLAGS=-I... names them.
XXHASH_CFLAGS ?= $(shell pkg-config --cflags libxxhash 2>/dev/null)
PG_CPPFLAGS = -iquote $(TOP)src $(XXHASH_CFLAGS) $(CROARING_CPPFLAGS)
# The language of src/pg is what the server was compiled as: its headers may use it.
PG_CFLAGS = $(HIDDEN) $(WARNINGS)
SHLIB_LINK = -lm $(CROARING_LIBS)

EXTRA_CLEAN = build $(OBJS:.o=.d)

# PGXS may come from a server configured with --enable-depend, whose rule keeps the dependencies of
# src/core/hll/hll.c and src/pg/hll/hll.c in one file; ours keeps them beside the object.
override autodepend := no

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)

# A distribution may ship PGXS without the headers it is for.
SERVER_HEADERS := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)

# What was built under sudo could not be built again without it. A umask that hides files from others would
# hide the extension from the server.
AS_OWNER := $(TOP)test/harness/as-owner
by_sudo := $(if $(SUDO_UID),$(shell $(AS_OWNER) && echo yes))
hidden := $(filter-out 00 02 20 22,$(shell umask | sed 's/.*\(..\)$$/\1/'))

ifneq (,$(and $(by_sudo)$(hidden),$(filter all install,$(or $(MAKECMDGOALS),all))))

all:
	@umask 022 && $(AS_OWNER) $(MAKE) --no-print-directory SUDO_UID= all

install: all
	@umask 022 && $(MAKE) --no-print-directory SUDO_UID= install

installcheck uninstall clean: | $(filter install,$(MAKECMDGOALS))
	@umask 022 && $(MAKE) --no-print-directory SUDO_UID= $@

else ifeq (2,$(words $(wildcard $(PGXS) $(SERVER_HEADERS)/postgres.h)))

# The server may have been built with a clang that is not on this machine. Without it there is no
# bitcode for the JIT to inline, and everything else works.
makefile_global := $(dir $(PGXS))../Makefile.global
global_value = $(shell sed -n 's/^$(1) *= *//p' $(makefile_global))
ifeq (,$(shell command -v $(call global_value,CLANG)))
override with_llvm := no
endif
ifeq (,$(shell command -v $(call global_value,LLVM_BINPATH)/llvm-lto))
override with_llvm := no
endif

all:
include $(PGXS)

# On all processors, unless somebody said how many. `make clean all` is one after the other.
ifeq (,$(filter-out all install,$(MAKECMDGOALS))$(filter -j% --jobserver%,$(MAKEFLAGS)))
MAKEFLAGS += -j$(or $(shell getconf _NPROCESSORS_ONLN 2>/dev/null),1)
endif

# A line for every tenth file; with V=1 the commands.
ifeq (,$(V)$(VERBOSE))
.SILENT:
compiled :=
progress = $(eval compiled += x)$(if $(filter 1 %0,$(words $(compiled))),$(info \
  compiling $<, file $(words $(compiled))))
$(eval COMPILE.c = $$(progress)$(value COMPILE.c))
$(eval COMPILE.c.bc = $$(progress)$(value COMPILE.c.bc))

install: installing
.PHONY: installing
installing: all
	echo 'installing into PostgreSQL $(VERSION): $(DESTDIR)$(pkglibdir), $(DESTDIR)$(datadir)'
endif

# The library of CRoaring that is ours alone, where it is opened.
.PHONY: install-croaring uninstall-croaring
install: install-croaring
install-croaring: all installdirs
	rm -f '$(DESTDIR)$(pkglibdir)/$(CROARING_LIBRARY_NAME)'
	$(if $(CROARING_LIBRARY),$(INSTALL_SHLIB) '$(CROARING_LIBRARY)' '$(DESTDIR)$(pkglibdir)/')

uninstall: uninstall-croaring
uninstall-croaring:
	rm -f '$(DESTDIR)$(pkglibdir)/$(CROARING_LIBRARY_NAME)'

include $(TOP)src/arithmetic.mk

# -O3: the decoders and merge loops want unrolling and vector code; callgrind and timing agree.
$(CORE:.c=.o): override CFLAGS += -std=c11 -O3 $(ARITHMETIC) -MMD -MP
$(GLUE:.c=.o): override CFLAGS += $(GLUE_WARNINGS) $(ARITHMETIC) -MMD -MP
# The JIT compiles bitcode for the processor it runs on, whatever the server was compiled for.
override BITCODE_CFLAGS += $(ARITHMETIC) $(HIDDEN)

# CRoaring is compiled as its own build does it, but for what it shows.
build/croaring/%.o: $(CROARING_DIR)/src/%.c
	@mkdir -p $(@D)
	$(progress)$(CC) -std=c11 -O3 -fPIC $(HIDDEN) -I$(CROARING_DIR)/include -c -o $@ $<

build/croaring/%.bc: $(CROARING_DIR)/src/%.c
	@mkdir -p $(@D)
	$(COMPILE.c.bc) -I$(CROARING_DIR)/include -o $@ $<

-include $(wildcard $(OBJS:.o=.d))

# What sketches_version() says.
src/pg/shared/module.o src/pg/shared/module.bc: override CPPFLAGS += -DSKETCHES_VERSION='"$(EXTVERSION)"'
src/pg/shared/module.o: $(TOP)sketches.control

# The text of rollups, as a string of C; lines --# are about the template.
build/rollup_template.h: $(TOP)src/pg/rollup/template.sql
	@mkdir -p build
	sed -e '/^--#/d' -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< >$@
src/pg/rollup/script.o src/pg/rollup/script.bc: override CPPFLAGS += -iquote build
src/pg/rollup/script.o: build/rollup_template.h

# A header's change reaches the bitcode through the object, whose dependencies are known.
$(OBJS:.o=.bc): %.bc: %.o

ifneq (,$(TOP))
$(shell mkdir -p $(sort $(dir $(OBJS))))
endif

# Objects of one server version do not fit another, nor those of one way to CRoaring.
$(OBJS): build/server | croaring
build/server: FORCE
	@mkdir -p build
	@{ $(PG_CONFIG) --version --includedir-server --cflags && echo '$(CROARING_CPPFLAGS)'; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# A type's script stands in its room and includes what it shares with others, the .sql.in files.
# install_script.awk says what the lines mean.
SQL := $(TOP)src/pg/shared/sketches.sql $(foreach type,$(TYPES),$(wildcard $(TOP)src/pg/*/$(type).sql))
SHARED_SQL := $(wildcard $(TOP)src/pg/*/*.sql.in) $(TOP)src/pg/shared/install_script.awk

$(SCRIPT): $(SQL) $(SHARED_SQL) $(TOP)sketches.control $(TOP)Makefile
	@mkdir -p build
	{ printf '%s\n' '\echo Use "CREATE EXTENSION sketches" to load this file. \quit' && \
	  awk -v root=$(TOP)src/pg -f $(TOP)src/pg/shared/install_script.awk $(SQL); } >$@.new
	mv $@.new $@

# Tests read sql/include and test/data, and write below build/regress.
.PHONY: regress-directory
regress-directory:
	@mkdir -p build/regress
	@$(if $(TOP),ln -sfn $(abspath $(TOP))/sql sql && ln -sfn $(abspath $(TOP))/test test)

else

all install installcheck uninstall:
	@$(TOP)test/harness/deps check
	@echo 'sketches: $(PG_CONFIG) finds no server headers' >&2
	@exit 1

clean:
	rm -rf $(OBJS) $(OBJS:.o=.bc) $(EXTRA_CLEAN) sketches.so

endif

# ---- the targets that also work without PGXS -----------------------------------------------------

.PHONY: all deps bench-deps client-deps cross-deps test test-all quick demo bench fuzz cross cluster matrix deb channels page dist golden freeze format help FORCE
FORCE:

# In `make deps test` the second waits for the first, with -j too.
after_deps := $(filter deps bench-deps client-deps,$(MAKECMDGOALS))

deps:
	@test/harness/deps

bench-deps: | $(filter deps,$(MAKECMDGOALS))
	@test/harness/deps peers

client-deps: | $(filter deps,$(MAKECMDGOALS))
	@test/harness/deps clients

test test-all quick cluster: | $(after_deps)
	@$(AS_OWNER) test/harness/run alone
	@test/harness/deps check test
	@$(AS_OWNER) env MAKE='$(MAKE)' test/harness/run $(SUITES)

# SAMPLE is the share of the random trials that are run, one in so many.
test-all: export SAMPLE = 1
test-all: SUITES = style symbols unit fuzz regress tap docs release
quick: export SAMPLE = 20
quick: SUITES = quick
cluster: SUITES = cluster

demo: | $(after_deps)
	@test/harness/deps check
	@$(AS_OWNER) test/harness/private-postgres $(MAKE)
	@$(AS_OWNER) test/demo/run "$${LOG-}"

bench: | $(after_deps)
	@test/harness/deps check test
	@$(AS_OWNER) test/harness/private-postgres $(MAKE)
	@$(AS_OWNER) test/bench/run $(BENCH)

RUNS ?= 2000000
fuzz: | $(after_deps)
	@test/harness/deps check core
	@$(AS_OWNER) $(MAKE) --no-print-directory -f test/harness/checked.mk build/fuzz/fuzz
	@$(AS_OWNER) build/fuzz/fuzz -runs=$(RUNS)

cross-deps: | $(filter deps,$(MAKECMDGOALS))
	@test/harness/deps cross

cross: | $(filter deps cross-deps,$(MAKECMDGOALS))
	@$(AS_OWNER) test/harness/cross $(PROCESSORS)

# What only root can do leaves its logs and packages to who called sudo.
give_back = status=$$?; ! $(AS_OWNER) || chown -R "$$SUDO_UID:$$SUDO_GID" build; exit $$status

matrix:
	@test/harness/matrix $(VERSIONS); $(give_back)

deb:
	@test/harness/deb $(SUITE); $(give_back)

channels:
	@test/harness/channels $(CHANNELS); $(give_back)

page:
	@test/harness/page; $(give_back)

# The archive for PGXN, of what is committed.
dist:
	@test/harness/dist

# Until a version is frozen, a change of its values that is meant writes them again.
golden: GOLDEN = test/golden/$(EXTVERSION).tsv
golden: | $(after_deps)
	@test/harness/freeze ready golden
	@$(AS_OWNER) test/harness/private-postgres $(MAKE)
	@test/harness/with-server -- sh -c 'psql -Xqc "CREATE EXTENSION sketches" && test/golden/write' >$(GOLDEN).new
	@mv $(GOLDEN).new $(GOLDEN)

freeze: | $(after_deps)
	@test/harness/freeze ready
	@$(AS_OWNER) test/harness/private-postgres $(MAKE)
	@test/harness/with-server -- test/harness/freeze

format:
	clang-format -i $(wildcard src/core/*.[ch] src/*/*/*.[ch] test/*/*.[ch] test/*/*/*.[ch])

help:
	@echo 'make                builds the extension (all)'
	@echo 'make install        installs it into the PostgreSQL of PG_CONFIG'
	@echo 'make installcheck   runs the regression tests on a running server that has it'
	@echo 'make uninstall      removes it'
	@echo 'make clean          removes everything that was built'
	@echo
	@echo 'make deps           installs what building and testing need: PostgreSQL, headers, a compiler'
	@echo 'make test           builds, and runs the tests on servers of their own; installs nothing'
	@echo '                    SUITES="unit regress" or TESTS="hll_agg 001_crash" restricts it to these'
	@echo 'make quick          those tests that ask about the files that changed'
	@echo 'make test-all       all tests at full length'
	@echo 'make fuzz           feeds the decoders RUNS=$(RUNS) mutated inputs'
	@echo 'make demo           a report of a real web log, to look at; LOG=access.log draws yours'
	@echo 'make bench          measures beside count(x) and the peers; BENCH="..." its arguments'
	@echo 'make bench-deps     installs the packaged peers that make bench compares with'
	@echo 'make client-deps    installs the drivers that the programs of doc/examples use'
	@echo 'make golden         writes the golden values of the version that is developed'
	@echo 'make freeze         freezes the install script and the golden values of a version'
	@echo 'make format         formats the C sources'
	@echo
	@echo 'make matrix         the tests on PostgreSQL 15 to 19, each in a root of its Debian (as root);'
	@echo '                    VERSIONS="15 18" restricts it to these'
	@echo '                    and "15/i386 15/arm64" on other processors'
	@echo 'make deb            Debian packages, built and tried in clean roots (as root)'
	@echo 'make channels       what is here for PGXN, RPM, Nix, Docker and CloudNativePG, each used once (as root)'
	@echo 'make page           build/page: the extension in a browser, in PostgreSQL as WebAssembly (as root)'
	@echo 'make cross          the tests of src/core for other processors, by qemu'
	@echo 'make cluster        the types on Citus, where PG_CONFIG has it'
	@echo 'make dist           the archive for PGXN'
	@echo
	@echo 'PG_CONFIG=/path/to/pg_config chooses the PostgreSQL; V=1 shows the commands.'
