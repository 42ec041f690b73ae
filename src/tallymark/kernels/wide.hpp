// Functions compiled twice: for the wider registers that most processors have, and for any.
#pragma once
#include <cstddef>  // which names the C library

// TALLYMARK_WIDE before a function: the loader takes the version that the processor runs, which
// glibc's can. What it calls is compiled with it where it is TALLYMARK_INLINE.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
#define TALLYMARK_WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TALLYMARK_WIDE
#endif
#if defined(__GNUC__)
#define TALLYMARK_INLINE inline __attribute__((always_inline))
#else
#define TALLYMARK_INLINE inline
#endif
