# The unit tests, the fuzz target and the damage program: src/core alone, without server headers,
# under the address and undefined behaviour sanitizers. Whatever in src/core needed PostgreSQL would
# not compile here.
#
#   make -f test/harness/checked.mk unit              build/unit/test_*
#   make -f test/harness/checked.mk build/fuzz/fuzz
#   make -f test/harness/checked.mk build/fuzz/damage
#   make -f test/harness/checked.mk build/combines/combines   with CRoaring, whatever way it comes in
#
# SANITIZE= builds without sanitizers, where the compiler has none; OUT=DIR builds there.

OUT ?= build

.DEFAULT_GOAL := unit

include src/croaring.mk

CC ?= cc
include src/arithmetic.mk
XXHASH_CFLAGS ?= $(shell pkg-config --cflags libxxhash 2>/dev/null)
SANITIZE ?= -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
# -g1 has the lines that a sanitizer prints; all of -g takes a third longer to compile.
CHECKED_CFLAGS = -O1 -g1 -Wall -Wextra -Wno-missing-field-initializers -MMD -MP $(SANITIZE) \
  $(ARITHMETIC) -fno-omit-frame-pointer -iquote src $(CROARING_CPPFLAGS) $(XXHASH_CFLAGS)

CROARING_OBJECTS := $(call croaring_objects,$(OUT)/checked/croaring)
CORE := $(patsubst src/core/%.c,$(OUT)/checked/core/%.o, \
    $(sort $(wildcard src/core/*.c src/core/*/*.c))) $(CROARING_OBJECTS)
# A program a file in a room; what stands beside the rooms is shared by them.
UNIT := $(sort $(wildcard test/unit/*/test_*.c))
UNIT_SHARED := $(patsubst test/%.c,$(OUT)/checked/%.o,$(sort $(wildcard test/unit/*.c)))
UNIT_PROGRAMS := $(patsubst %.c,$(OUT)/unit/%,$(notdir $(UNIT)))
FUZZ := $(patsubst test/%.c,$(OUT)/checked/%.o,$(sort $(wildcard test/fuzz/*.c)))
DAMAGE := $(patsubst test/%.c,$(OUT)/checked/%.o,$(sort $(wildcard test/damage/*.c)))

.PHONY: unit FORCE
.SECONDARY:
unit: $(UNIT_PROGRAMS)

# A program looks for the library where it is itself.
%/$(CROARING_LIBRARY_NAME): FORCE
	@mkdir -p $(@D)
	@ln -sf "$(CURDIR)/croaring-library/$(@F)" $@

define unit_program
$(OUT)/unit/$(notdir $(1:.c=)): $(patsubst test/%.c,$(OUT)/checked/%.o,$(1)) $(UNIT_SHARED) $(CORE) | $(OUT)/unit/$(CROARING_LIBRARY_NAME)
	@mkdir -p $$(@D)
	$(CC) $(SANITIZE) -o $$@ $$^ -lm $(CROARING_LIBS)
endef
$(foreach source,$(UNIT),$(eval $(call unit_program,$(source))))

$(OUT)/fuzz/fuzz: $(FUZZ) $(CORE) | $(OUT)/fuzz/$(CROARING_LIBRARY_NAME)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -o $@ $^ -lm $(CROARING_LIBS)

$(OUT)/fuzz/damage: $(DAMAGE) $(CORE) | $(OUT)/fuzz/$(CROARING_LIBRARY_NAME)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -o $@ $^ -lm $(CROARING_LIBS)

# As a server has it: with a sanitizer the library would be opened in another way.
$(OUT)/combines/combines: test/harness/combines.c src/core/roaring/croaring.c $(CROARING_OBJECTS) $(OUT)/checked/flags | \
  $(OUT)/combines/$(CROARING_LIBRARY_NAME)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -Wall -Wextra $(ARITHMETIC) -iquote src $(CROARING_CPPFLAGS) $(if $(CROARING_OBJECTS),$(SANITIZE)) -o $@ \
	  $(filter %.c %.o,$^) -lm $(CROARING_LIBS)

# Other flags make other objects.
$(OUT)/checked/flags: FORCE | croaring
	@mkdir -p $(@D)
	@echo '$(CC) $(CHECKED_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CHECKED_CFLAGS)' >$@

$(OUT)/checked/core/%.o: src/core/%.c $(OUT)/checked/flags
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CHECKED_CFLAGS) -c -o $@ $<

# Its pointers are unaligned by design, so of the sanitizers it gets only the one for addresses.
$(OUT)/checked/croaring/%.o: $(CROARING_DIR)/src/%.c $(OUT)/checked/flags
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 -g1 -I$(CROARING_DIR)/include $(if $(SANITIZE),-fsanitize=address) -c -o $@ $<

# What is undefined is looked for in core, whose calls tests make, and in what headers of core/common define: it takes
# a third of the time to compile a test and more to run an oracle.
plain = $(if $(SANITIZE),$(if $(filter unit/%,$(filter-out unit/common/%,$(1))),-fno-sanitize=undefined))
$(OUT)/checked/%.o: test/%.c $(OUT)/checked/flags
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(CHECKED_CFLAGS) $(call plain,$*) -c -o $@ $<

FORCE:

-include $(wildcard $(OUT)/checked/*/*.d $(OUT)/checked/*/*/*.d)
