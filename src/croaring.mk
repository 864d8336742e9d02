# How CRoaring is found:
#
#   1. its sources, in the directory that the variable CROARING_DIR names, or else the first line of
#      the file croaring.path beside the Makefile; they are compiled in;
#   2. otherwise the system's library, version 4 or later, by pkg-config.
#
# PostgreSQL loads libraries with RTLD_GLOBAL, so another extension may bring a CRoaring of its own
# whose symbols are taken for the shared one's; hidden symbols of a compiled-in one cannot be.
#
# The makefile that includes this may set TOP, the sources' directory with a slash.

CROARING_DIR ?= $(shell sed -n 1p $(TOP)croaring.path 2>/dev/null)

ifneq (,$(CROARING_DIR))
CROARING_SOURCES := $(sort $(wildcard $(CROARING_DIR)/src/*.c $(CROARING_DIR)/src/*/*.c))
CROARING_CPPFLAGS := -I$(CROARING_DIR)/include -DSKETCHES_OWN_CROARING
CROARING_LIBS :=
ifeq (,$(CROARING_SOURCES))
CROARING_MISSING := CROARING_DIR=$(CROARING_DIR) does not hold the sources of CRoaring
endif
else
CROARING_SOURCES :=
CROARING_CPPFLAGS := $(shell pkg-config --cflags roaring 2>/dev/null)
CROARING_LIBS := $(shell pkg-config --libs roaring 2>/dev/null)
ifneq (yes,$(shell pkg-config --atleast-version=4 roaring 2>/dev/null && echo yes))
CROARING_MISSING := pkg-config finds no CRoaring 4 or later: \
  run make deps, or name a directory with its sources in CROARING_DIR or in the file croaring.path
endif
endif

# Objects of CRoaring's sources under the folder given.
croaring_objects = $(patsubst $(CROARING_DIR)/src/%.c,$(1)/%.o,$(CROARING_SOURCES))

# What needs CRoaring depends on this, so that its lack is one sentence.
.PHONY: croaring
croaring:
	@$(if $(CROARING_MISSING),echo 'sketches: $(CROARING_MISSING)' >&2; exit 1,:)
