/*
 * The inlined part of chain.c.  HERE leaves a label in the code that says, in
 * the symbol table, what the debug information has to say about that place:
 *
 *     here_LINE_LINE_LINE_n    innermost line, line of the call, line of that one's call (0: no more)
 */
#define HERE(leaf, mid, outer) __asm__ volatile("here_%c0_%c1_%c2_%=: nop" : : "i"(leaf), "i"(mid), "i"(outer))
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

INLINE void leaf(volatile int *x, int mid, int outer)
{
	*x = *x * 3 + 1;
	HERE(__LINE__, mid, outer);
	*x = *x * 5 + 1;
}
