/* A library whose functions are called, with every way of passing arguments and results. */
#ifndef CALLED_H
#define CALLED_H

#ifdef __cplusplus
extern "C" {
#endif

struct large {
	long v[6];
};
struct pair {
	double a, b;
};
struct mixed {
	long a;
	double b;
};
typedef double vector4 __attribute__((vector_size(32)));
typedef double vector8 __attribute__((vector_size(64)));

void tick(void);
double mix(long a, double b, long c, float d, long e, double f, long g, double h, long i, double j, long k, double l, double m, double n,
	   long o);
long double wide(long double a, long double b);
double sum(int n, ...); /* int, double, ... */
struct large make_large(long x);
struct pair make_pair(double x);
struct mixed make_mixed(long x, double y);
void call(void (*function)(void)); /* that may throw */
#ifdef __AVX__
vector4 add4(vector4 a, vector4 b, vector4 c, vector4 d, vector4 e, vector4 f, vector4 g, vector4 h);
#endif
#ifdef __AVX512F__
vector8 add8(vector8 a, vector8 b, vector8 c, vector8 d, vector8 e, vector8 f, vector8 g, vector8 h);
#endif

#ifdef __cplusplus
}
#endif

#endif
