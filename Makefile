# Tenon: one Makefile. Output goes to build/; its variant build/san/ is the
# same tree under AddressSanitizer and UBSan with debug checks on.
#
#   make demo       set up, build, compile and check and time the flagship
#   make test       set up, build, run all quick tests (tests/run)
#   make test-all   the long ones too
#   make test-gpu   what only a GPU shows (tests/gpu/run)
#   make check-main every example at every shape and dtype against the oracle
#   make            build/tenon, build/libtenon.a, build/libtenon.so
#
# Sources are found: src/FOLDER/*.c, tests/FOLDER/*_{test,tool}.c,
# tests/fuzz/*_fuzz.c and examples/*.c each need no line here.

# Once for all: as many jobs as there are CPUs, unless the caller chose.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

CC      := $(if $(filter default,$(origin CC)),cc,$(CC))
AR      ?= ar
OBJCOPY ?= objcopy
FORMAT  ?= clang-format-14
PREFIX  ?= /usr/local
DESTDIR ?=
VARIANT ?=

B       := build$(if $(VARIANT),/$(VARIANT))
VERSION := $(shell sed -n 's/.*TENON_VERSION "\(.*\)"/\1/p' include/tenon.h)
SOVER   := $(firstword $(subst ., ,$(VERSION)))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wundef -Wwrite-strings -Wswitch-enum \
	-Wformat=2 -Werror
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE
CFLAGS   ?= -O2 -g
# Strict IEEE arithmetic here too: the oracle and the folding of constants
# must give the same bits whatever the compiler.
TNFLAGS  := -std=gnu17 $(WARN) -fPIC -fno-semantic-interposition \
	-ffp-contract=off -fno-math-errno
LDLIBS   := -lcrypto -ljansson -lsqlite3 -ldl -lm -lpthread

# Optimised builds of the variants; san stops at the first report.
ifeq ($(VARIANT),san)
TNFLAGS  += -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -Wno-maybe-uninitialized -DTN_DEBUG=1
LDFLAGS  += -fsanitize=address,undefined
CFLAGS   := -O1 -g
endif

SRC       := $(sort $(wildcard src/*/*.c))
LIB_SRC   := $(filter-out src/cli/% src/lab/%,$(SRC))
TOOL_SRC  := $(filter src/cli/% src/lab/%,$(SRC))
LIB_OBJ   := $(LIB_SRC:%.c=$(B)/%.o)
TOOL_OBJ  := $(TOOL_SRC:%.c=$(B)/%.o)
LAB_OBJ   := $(filter $(B)/src/lab/%,$(TOOL_OBJ))
UNIT      := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/*/*_test.c)))
TOOLS     := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/*/*_tool.c)))
FUZZ      := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/fuzz/*_fuzz.c)))
BENCH     := $(patsubst %.c,$(B)/%,$(sort $(wildcard bench/*.c)))
EXAMPLES  := $(patsubst %.c,$(B)/%,$(sort $(wildcard examples/*.c)))
FORMATTED := $(filter-out tests/golden/%,$(wildcard src/*/*.[ch] include/*.h \
	tests/*/*.[ch] bench/*.c examples/*.c))

.PHONY: all demo test test-all test-gpu check-main golden bench peers fuzz install format \
	clean binaries san
all: $(B)/tenon $(B)/libtenon.a $(B)/libtenon.so

# What tests/run needs of one variant.
binaries: $(B)/tenon $(UNIT) $(TOOLS) $(FUZZ) $(BENCH) $(EXAMPLES)
san:
	@$(MAKE) VARIANT=san binaries

# ---- rules ---------------------------------------------------------------

# A line a step; V=1 shows the commands instead, -s nothing.
Q     := $(if $(V),,@)
QUIET := $(V)$(findstring s,$(firstword -$(MAKEFLAGS)))
step   = $(if $(QUIET),,@printf '  %-4s %s\n' $(1) $@)

$(B)/src/%.o: src/%.c $(B)/flags
	$(call step,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(TNFLAGS) -MMD -MP -c -o $@ $<

# References that another oracle computed are not this one's.
ORACLE := $(wildcard src/oracle/*.[ch] src/ir/*.[ch] src/ir/*.def)
$(B)/src/oracle/cache.o: CPPFLAGS += \
	-DORACLE_SOURCES='"$(shell cat $(ORACLE) | sha256sum | cut -c1-16)"'
$(B)/src/oracle/cache.o: $(ORACLE)

# Changes only when the commands do, so that new flags rebuild everything.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(CFLAGS) $(TNFLAGS)' | cmp -s - $@ || \
		echo '$(CC) $(CPPFLAGS) $(CFLAGS) $(TNFLAGS)' > $@
.PHONY: FORCE

# What samples were taken of; asked anew in each build.
COMMIT := $(or $(shell git describe --always --dirty 2>/dev/null),unknown)
$(B)/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' > $@
$(B)/src/lab/machine.o: CPPFLAGS += -DTENON_COMMIT='"$(COMMIT)"'
$(B)/src/lab/machine.o: $(B)/commit

# All of the library and of lab, internal names too: what unit tests link.
$(B)/internal.a: $(LIB_OBJ) $(LAB_OBJ)
	$(call step,AR)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# The library that users link: tenon_* is all that it defines outwardly.
$(B)/libtenon.a: $(LIB_OBJ)
	$(call step,AR)
	@rm -f $@
	$(Q)$(CC) -nostdlib -r -o $(B)/libtenon.o $^
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='tenon_*' \
		$(B)/libtenon.o
	$(Q)$(AR) rcs $@ $(B)/libtenon.o

$(B)/libtenon.so: $(LIB_OBJ) tools/install/tenon.map
	$(call step,LD)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,libtenon.so.$(SOVER) \
		-Wl,--version-script=tools/install/tenon.map -Wl,--no-undefined \
		-o $@ $(LIB_OBJ) $(LDLIBS)

$(B)/tenon: $(TOOL_OBJ) $(B)/libtenon.a
	$(call step,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

link   = $(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -I. -Itests $(CFLAGS) $(TNFLAGS) \
	-MMD -MP $(LDFLAGS) -o $@ $< $(1) $(LDLIBS)
$(B)/tests/%: tests/%.c $(B)/internal.a $(B)/flags
	$(call step,LD)
	$(call link,$(B)/internal.a)
$(B)/bench/%: bench/%.c $(B)/internal.a $(B)/flags
	$(call step,LD)
	$(call link,$(B)/internal.a)
$(B)/examples/%: examples/%.c $(B)/libtenon.a $(B)/flags
	$(call step,LD)
	$(call link,$(B)/libtenon.a)

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d)
-include $(addsuffix .d,$(UNIT) $(TOOLS) $(FUZZ) $(BENCH) $(EXAMPLES))

# ---- the commands of README.md -------------------------------------------

demo:
	@tools/setup build
	@echo "building build/tenon"
	@$(MAKE) --no-print-directory -s build/tenon
	build/tenon run examples/weight_view.tn --dims main

test:
	@tools/setup test
	@echo "building build/ and build/san/"
	@$(MAKE) --no-print-directory -s binaries build/libtenon.so san
	@tests/run

test-all:
	@tools/setup test
	@echo "building build/ and build/san/"
	@$(MAKE) --no-print-directory -s binaries build/libtenon.so san
	@tests/run --all

test-gpu:
	@tools/setup build
	@$(MAKE) --no-print-directory -s binaries
	@tests/gpu/run

check-main:
	@tools/setup test
	@$(MAKE) --no-print-directory -s build/tenon
	@tests/run --all check

golden:
	@$(MAKE) --no-print-directory -s build/tenon
	@tests/run --update golden errors docs

# Libraries that Debian has as archives only, for tenon bench to load.
XSMM := $(wildcard /usr/lib/libxsmm.a)
peers: $(XSMM:%/libxsmm.a=$(B)/peers/libxsmm.so)
$(B)/peers/libxsmm.so: $(XSMM)
	$(call step,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -o $@ -Wl,--whole-archive $< $(<:%.a=%ext.a) \
		-Wl,--no-whole-archive $(<:%.a=%noblas.a) -lgomp -lpthread -lm -ldl

# Every suite: samples in bench/results, tables in docs/performance.md.
bench:
	@tools/setup test
	@$(MAKE) --no-print-directory -s build/tenon peers
	@bench/run

# FUZZ_SECONDS a fuzzer, under the sanitizers.
FUZZ_SECONDS ?= 600
fuzz:
	@$(MAKE) VARIANT=san binaries
	@for f in $(FUZZ:build/%=build/san/%); do \
		echo "== $$f"; $$f --seconds $(FUZZ_SECONDS) || exit 1; done

docs/tenon.1: build/tenon
	build/tenon --man > $@

format:
	$(FORMAT) -i $(FORMATTED)

install: all
	tools/install/install '$(DESTDIR)' '$(PREFIX)' '$(VERSION)'

clean:
	rm -rf build
