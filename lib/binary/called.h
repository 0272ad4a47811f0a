/*
 * called: compares names of functions with the names that users write.
 *
 * People write `produce`, `mpsc::produce` or `Queue::push`; linkers know
 * `_ZN4mpsc5QueueIjE4pushEj`.  A name in full is the linkage name, or the demangled
 * name with or without its parameters.  A name in part is the end of the demangled
 * name, from a component on:
 *
 *     std::vector<int, ...>::push_back(int&&)   push_back, vector::push_back, vector<int,...>::push_back
 *     mpsc::Queue<T>::push                      push, Queue::push
 *     <mpsc::Foo as mpsc::Bar>::f               f, Foo::f, Bar::f
 *     ns::(anonymous namespace)::f(int)         f, ns::f, f(int), (anonymous namespace)::f
 *
 * Parts that a component leaves out are ignored in the name: template arguments,
 * parameters, anonymous namespaces.  Result types, qualifiers (const), hashes and ABI
 * tags never matter.  A name with *, ? or [ is a shell glob; in part it is compared
 * with as many components as it has.
 *
 * The work of an async function of Rust is in a closure; the function itself only returns
 * that.  So f also names mod::f::{closure#0}, if nothing else has the name.
 */
#ifndef ANDWEORC_BINARY_CALLED_H
#define ANDWEORC_BINARY_CALLED_H

#include <stdbool.h>

enum called {
	CALLED_NOT,
	CALLED_INSIDE, /* it is what an async function of Rust does, or a closure, inside of one that is called so in part */
	CALLED_PART,
	CALLED_FULL,
};

/* A name as a user has written it. */
struct called_name {
	const char *text; /* borrowed */
	char *path;       /* its components, in reduced form; owned */
	char *word;       /* text that each mangled name of such a function contains; NULL: none is known; owned */
	bool glob;        /* it has characters of a glob */
	unsigned kept;    /* its parts beside names: see called.c */
};

void called_init(struct called_name *name, const char *text);
void called_release(struct called_name *name);

/* Does the function with this linkage name, or source name, match? */
enum called called_so(const struct called_name *name, const char *linkage_name);

/* The components of a function's name without anything else, such as mpsc::Queue::push; owned by the caller. */
char *called_path(const char *linkage_name);

/* The last component of such a path. */
const char *called_last(const char *path);

#endif
