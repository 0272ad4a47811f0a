/*
 * identity: names of functions without the parts that change from one build to the
 * next.
 */
#ifndef ANDWEORC_MATCH_IDENTITY_H
#define ANDWEORC_MATCH_IDENTITY_H

#include <stddef.h>

/*
 * The name of a function, by its linkage name `symbol` and its name for people
 * `function` (either may be NULL, or both), without the suffixes of clones and
 * parts, the hashes that Rust and LLVM add, and the numbers of lambdas and
 * closures, which change when another one is written before them.  Template
 * arguments and parameters stay: they tell functions apart.  Owned by the
 * caller; NULL when both are.
 */
char *identity_function(const char *symbol, const char *function);

/* The length of the name alone in an identity: without parameters at its end and the qualifiers behind them. */
size_t identity_name(const char *identity);

#endif
