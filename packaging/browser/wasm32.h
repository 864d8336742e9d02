
/* ---- appended to pg_config.h of x86-64: what is different for wasm32 ---- */
#undef SIZEOF_VOID_P
#define SIZEOF_VOID_P 4
#undef SIZEOF_SIZE_T
#define SIZEOF_SIZE_T 4
#undef SIZEOF_LONG
#define SIZEOF_LONG 4
#undef ALIGNOF_LONG
#define ALIGNOF_LONG 4

/* clang's name of it. */
#undef PG_C_PRINTF_ATTRIBUTE
#define PG_C_PRINTF_ATTRIBUTE printf

/* PGlite has none of these libraries. */
#undef ENABLE_GSS
#undef ENABLE_NLS
#undef USE_ICU
#undef USE_OPENSSL

/* Those of one processor. */
#undef HAVE_XSAVE_INTRINSICS
#undef HAVE__GET_CPUID
#undef HAVE__GET_CPUID_COUNT
#undef HAVE__CPUID
#undef HAVE__CPUIDEX
#undef USE_AVX512_POPCNT_WITH_RUNTIME_CHECK
#undef USE_AVX512_CRC32C_WITH_RUNTIME_CHECK
#undef USE_SSE42_CRC32C
#undef USE_SSE42_CRC32C_WITH_RUNTIME_CHECK
#undef USE_SLICING_BY_8_CRC32C
#define USE_SLICING_BY_8_CRC32C 1

/* The main module has no division of these. */
#undef PG_INT128_TYPE
