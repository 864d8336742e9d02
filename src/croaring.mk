# How CRoaring is found: by default the system's library, by pkg-config; with CROARING_DIR its
# sources, which are compiled in. PostgreSQL loads libraries with RTLD_GLOBAL, so another extension
# may bring a CRoaring of its own whose symbols are taken for the shared one's; hidden symbols of a
# compiled-in one cannot be.

ifdef CROARING_DIR
CROARING_SOURCES := $(sort $(wildcard $(CROARING_DIR)/src/*.c $(CROARING_DIR)/src/*/*.c))
CROARING_CPPFLAGS := -I$(CROARING_DIR)/include -DSKETCHES_OWN_CROARING
CROARING_LIBS :=
else
CROARING_SOURCES :=
CROARING_CPPFLAGS := $(shell pkg-config --cflags roaring 2>/dev/null)
CROARING_LIBS := $(shell pkg-config --libs roaring 2>/dev/null)
endif

# Objects of CRoaring's sources under the folder given.
croaring_objects = $(patsubst $(CROARING_DIR)/src/%.c,$(1)/%.o,$(CROARING_SOURCES))
