# Results and stored bytes are the same on every processor and by every path: each operation on doubles is rounded by
# itself. So compilers may not make one operation of a * b + c, which gcc does wherever a processor has it (aarch64,
# x86-64-v3); and on i386 they have to compute in SSE's registers, since the older ones have more digits.
ARITHMETIC := -ffp-contract=off
ifneq (,$(filter i386-% i486-% i586-% i686-%,$(shell $(CC) -dumpmachine 2>/dev/null)))
ARITHMETIC += -msse2 -mfpmath=sse
endif
