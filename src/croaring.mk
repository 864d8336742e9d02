# How CRoaring comes in. It is a copy of our own: PostgreSQL loads libraries with RTLD_GLOBAL, so the symbols of
# another extension's CRoaring would be taken for those of a shared one.
#
#   1. Its sources are compiled in, with hidden symbols: those in the directory that the variable CROARING_DIR or
#      the first line of the file croaring.path names, or in the directory croaring, where make deps puts them.
#   2. Without sources libroaring, 4.0 or later, is opened when it is first needed, and nothing of CRoaring is
#      needed to build (src/core/roaring/croaring.c). Where make deps has put one into croaring-library, make install
#      copies it beside sketches.so, where it is looked for first; else it is the system's.
#   3. CROARING=link links with libroaring, found by pkg-config, or named: CROARING_LIBS="-L... -lroaring"
#      CROARING_CFLAGS=-I... So do macOS's libraries, each of which looks for a symbol where it was found when it was linked.
#
# CROARING=private refuses to depend on the system's library: for what is copied to other machines, an image, say.
#
# The makefile that includes this may set TOP, the sources' directory with a slash.

CROARING_DIR ?= $(or $(shell sed -n 1p $(TOP)croaring.path 2>/dev/null),$(wildcard $(TOP)croaring))
ifeq (,$(CROARING_DIR)$(filter-out Darwin,$(shell uname -s)))
CROARING ?= link
endif

CROARING_SOURCES :=
CROARING_LIBRARY :=
CROARING_LIBRARY_NAME := sketches-libroaring.so
ifeq (link,$(CROARING))
ifeq (,$(filter command environment,$(word 1,$(origin CROARING_LIBS))))
CROARING_LIBS := $(shell pkg-config --libs roaring 2>/dev/null)
CROARING_CFLAGS ?= $(shell pkg-config --cflags roaring 2>/dev/null)
ifneq (yes,$(shell pkg-config --atleast-version=4 roaring 2>/dev/null && echo yes))
CROARING_MISSING := pkg-config finds no CRoaring 4 or later, which CROARING=link takes
endif
endif
CROARING_CPPFLAGS := -DSKETCHES_CROARING_LINKED $(CROARING_CFLAGS)
else ifneq (,$(CROARING_DIR))
CROARING_SOURCES := $(sort $(wildcard $(CROARING_DIR)/src/*.c $(CROARING_DIR)/src/*/*.c))
CROARING_CPPFLAGS := -I$(CROARING_DIR)/include
CROARING_LIBS :=
ifeq (,$(CROARING_SOURCES))
CROARING_MISSING := CROARING_DIR=$(CROARING_DIR) does not hold the sources of CRoaring
endif
else
CROARING_CPPFLAGS := -DSKETCHES_CROARING_OPENED
# dlopen, before it came into libc.
CROARING_LIBS := $(if $(filter Linux,$(shell uname -s)),-ldl)
CROARING_LIBRARY := $(wildcard $(TOP)croaring-library/$(CROARING_LIBRARY_NAME))
ifeq (private,$(CROARING)$(CROARING_LIBRARY))
CROARING_MISSING := neither sources of CRoaring nor a library in croaring-library, which CROARING=private takes
endif
endif

# Objects of CRoaring's sources under the folder given.
croaring_objects = $(patsubst $(CROARING_DIR)/src/%.c,$(1)/%.o,$(CROARING_SOURCES))

# What needs CRoaring depends on this, so that its lack is one sentence.
.PHONY: croaring
croaring:
	@$(if $(CROARING_MISSING),echo 'sketches: $(CROARING_MISSING)' >&2; exit 1,:)
