/* Names as people write them, and the functions that match. */
#include "unit.h"

#include "binary/called.h"

static enum called how(const char *text, const char *linkage_name)
{
	struct called_name name;
	enum called answer;

	called_init(&name, text);
	answer = called_so(&name, linkage_name);
	called_release(&name);
	return answer;
}

static void full(const char *text, const char *linkage_name)
{
	if (how(text, linkage_name) != CALLED_FULL)
		fail_msg("'%s' is not '%s' in full", text, linkage_name);
}

static void part(const char *text, const char *linkage_name)
{
	if (how(text, linkage_name) != CALLED_PART)
		fail_msg("'%s' is not '%s' in part: %d", text, linkage_name, how(text, linkage_name));
}

static void not(const char *text, const char *linkage_name)
{
	if (how(text, linkage_name) != CALLED_NOT)
		fail_msg("'%s' is '%s'", text, linkage_name);
}

static void inside(const char *text, const char *linkage_name)
{
	if (how(text, linkage_name) != CALLED_INSIDE)
		fail_msg("'%s' is not around '%s': %d", text, linkage_name, how(text, linkage_name));
}

static void names_of_c(void **state)
{
	(void)state;
	full("produce", "produce");
	full("prod*", "produce");
	not("prod", "produce");
	not("mpsc::produce", "produce");
	not("", "produce");
	not("", "_ZN4mpsc7produceEv");
	not("::", "_ZN4mpsc7produceEv");
	full("f", "f");
}

static void plain_cxx(void **state)
{
	(void)state;
	/* right(unsigned long) */
	full("right", "_Z5rightm");
	full("right(unsigned long)", "_Z5rightm");
	full("_Z5rightm", "_Z5rightm");
	full("ri*", "_Z5rightm");
	part("::right", "_Z5rightm");
	not("right(long)", "_Z5rightm");
	not("ight", "_Z5rightm");
	/* a::b::produce(int, long) */
	part("produce", "_ZN1a1b7produceEil");
	part("b::produce", "_ZN1a1b7produceEil");
	full("a::b::produce", "_ZN1a1b7produceEil");
	part("produce(int, long)", "_ZN1a1b7produceEil");
	part("produce(int,long)", "_ZN1a1b7produceEil");
	not("produce(int)", "_ZN1a1b7produceEil");
	not("a::produce", "_ZN1a1b7produceEil");
	not("roduce", "_ZN1a1b7produceEil");
	not("b", "_ZN1a1b7produceEil");
	part("prod*", "_ZN1a1b7produceEil");
	part("?::p*", "_ZN1a1b7produceEil");
	full("a::*", "_ZN1a1b7produceEil");
	full("*produce", "_ZN1a1b7produceEil");
	not("b*", "_ZN1a1b7produceEil");
	/* n::Q::size() const */
	part("size", "_ZNK1n1Q4sizeEv");
	part("Q::size() const", "_ZNK1n1Q4sizeEv");
	part("Q::size()", "_ZNK1n1Q4sizeEv");
}

static void templates(void **state)
{
	/* std::vector<int, std::allocator<int> >::push_back(int const&) */
	static const char push_back[] = "_ZNSt6vectorIiSaIiEE9push_backERKi";
	/* int* ns::make<std::vector<int, std::allocator<int> >, ns::Other>(void (*)(int)) */
	static const char make[] = "_ZN2ns4makeISt6vectorIiSaIiEENS_5OtherEEEPiPFviE";

	(void)state;
	part("push_back", push_back);
	part("vector::push_back", push_back);
	full("std::vector<int, std::allocator<int> >::push_back", push_back);
	part("std::vector::push_back", push_back);
	part("vector<int, std::allocator<int>>::push_back", push_back);
	part("vector<int,std::allocator<int> >::push_back(int const&)", push_back);
	not("vector<long, std::allocator<long>>::push_back", push_back);
	not("allocator::push_back", push_back);
	not("int>::push_back", push_back);
	part("make", make);
	part("ns::make", make);
	part("make(void (*)(int))", make);
	part("make<std::vector<int, std::allocator<int>>, ns::Other>", make);
	not("vector", make);
	not("Other", make);
	not("int", make);
}

static void async_rust(void **state)
{
	/* tasks::moves::{{closure}}::{{closure}}, and so as newer compilers mangle */
	static const char legacy[] = "_ZN5tasks5moves28_$u7b$$u7b$closure$u7d$$u7d$28_$u7b$$u7b$closure$u7d$$u7d$17h6b9fb06ee1fd56dbE";
	static const char v0[] = "_RNCNCNvCsjagtv6OFLmK_5tasks5moves00B5_";

	(void)state;
	inside("moves", legacy);
	inside("tasks::moves", legacy);
	not("tasks", legacy);
	not("mov*", legacy);
	part("moves::{{closure}}::{{closure}}", legacy);
	inside("tasks::moves", v0);
	not("tasks", v0);
}

static void coroutines(void **state)
{
	/* g++: producer(producer(slot&)::...Frame*) [clone .actor]; clang++: producer(slot&) [clone .resume] */
	part("producer", "_ZN12_GLOBAL__N_18producerEPZNS_8producerERNS_4slotEE43_ZN12_GLOBAL__N_18producerERNS_4slotE.Frame.actor");
	part("producer", "_ZN12_GLOBAL__N_18producerERNS_4slotE.resume");
	(void)state;
}

static void odd_cxx(void **state)
{
	(void)state;
	/* (anonymous namespace)::f(int), ns::(anonymous namespace)::f() */
	part("f", "_ZN12_GLOBAL__N_11fEi");
	full("(anonymous namespace)::f", "_ZN12_GLOBAL__N_11fEi");
	full("(anonymous namespace)::f(int)", "_ZN12_GLOBAL__N_11fEi");
	part("ns::f", "_ZN2ns12_GLOBAL__N_11fEv");
	part("(anonymous namespace)::f", "_ZN2ns12_GLOBAL__N_11fEv");
	not("(anonymous namespace)::f", "_ZN2ns1fEv");
	/* A::operator()(int) const, A::operator<<(int), A::operator bool(), A::operator->() */
	part("operator()", "_ZNK1AclEi");
	full("A::operator()", "_ZNK1AclEi");
	part("operator()(int)", "_ZNK1AclEi");
	part("operator<<", "_ZN1AlsEi");
	not("operator<", "_ZN1AlsEi");
	part("operator bool", "_ZN1AcvbEv");
	part("operator->", "_ZN1AptEv");
	part("operator[]", "_ZN1AixEi");
	/* n::A<int>::operator<(n::A<int> const&) */
	part("operator<", "_ZN1n1AIiEltERKS1_");
	part("A::operator<", "_ZN1n1AIiEltERKS1_");
	/* std::basic_ostream<...>& n::operator<< <char>(...) */
	part("operator<<", "_ZN1nlsIcEERSoS1_RKT_");
	/* n::A::A(int), n::A::~A() */
	part("A", "_ZN1n1AC1Ei");
	part("A::A", "_ZN1n1AC2Ei");
	part("~A", "_ZN1n1AD1Ev");
	/* n::f(int)::{lambda(int)#1}::operator()(int) const */
	part("operator()", "_ZZN1n1fEiENKUliE_clEi");
	part("f::{lambda(int)#1}::operator()", "_ZZN1n1fEiENKUliE_clEi");
	not("f", "_ZZN1n1fEiENKUliE_clEi");
	/* n::f[abi:cxx11](int) */
	part("f", "_ZN1n1fB5cxx11Ei");
	/* main::Local::run() in C++ */
	part("run", "_ZZ4mainEN5Local3runEv");
	part("Local::run", "_ZZ4mainEN5Local3runEv");
	/* non-virtual thunk to n::A::f() */
	not("f", "_ZThn8_N1n1A1fEv");
	/* decltype ((fp)+(fp0)) n::add<int, int>(int, int) */
	part("add", "_ZN1n3addIiiEEDTplfp_fp0_ET_T0_");
}

static void legacy_rust(void **state)
{
	(void)state;
	/* mpsc::produce */
	part("produce", "_ZN4mpsc7produce17h621ba818c8bd236fE");
	full("mpsc::produce", "_ZN4mpsc7produce17h621ba818c8bd236fE");
	not("h621ba818c8bd236f", "_ZN4mpsc7produce17h621ba818c8bd236fE");
	not("psc::produce", "_ZN4mpsc7produce17h621ba818c8bd236fE");
	/* app::mpsc::Queue<T>::push */
	part("push", "_ZN3app4mpsc14Queue$LT$T$GT$4push17h63ea2dcb4f2a8f1aE");
	part("Queue::push", "_ZN3app4mpsc14Queue$LT$T$GT$4push17h63ea2dcb4f2a8f1aE");
	part("mpsc::Queue<T>::push", "_ZN3app4mpsc14Queue$LT$T$GT$4push17h63ea2dcb4f2a8f1aE");
	/* <app::mpsc::Foo as app::mpsc::Bar>::f */
	part("Foo::f", "_ZN49_$LT$app..mpsc..Foo$u20$as$u20$app..mpsc..Bar$GT$1f17h0bbb658d0c573010E");
	part("Bar::f", "_ZN49_$LT$app..mpsc..Foo$u20$as$u20$app..mpsc..Bar$GT$1f17h0bbb658d0c573010E");
	part("mpsc::Foo::f", "_ZN49_$LT$app..mpsc..Foo$u20$as$u20$app..mpsc..Bar$GT$1f17h0bbb658d0c573010E");
	full("<app::mpsc::Foo as app::mpsc::Bar>::f",
	     "_ZN49_$LT$app..mpsc..Foo$u20$as$u20$app..mpsc..Bar$GT$1f17h0bbb658d0c573010E");
	not("Foo", "_ZN49_$LT$app..mpsc..Foo$u20$as$u20$app..mpsc..Bar$GT$1f17h0bbb658d0c573010E");
	/* <[T] as app::mpsc::Bar>::f */
	part("Bar::f", "_ZN46_$LT$$u5b$T$u5d$$u20$as$u20$app..mpsc..Bar$GT$1f17hff87ec6b40a2cc1aE");
	part("[T]::f", "_ZN46_$LT$$u5b$T$u5d$$u20$as$u20$app..mpsc..Bar$GT$1f17hff87ec6b40a2cc1aE");
	/* <dyn app::mpsc::Bar>::g */
	part("Bar::g", "_ZN31_$LT$dyn$u20$app..mpsc..Bar$GT$1g17h7c8ba577ebf1d51bE");
	/* app::<impl app::mpsc::Bar for app::mpsc::Foo>::f */
	part("Foo::f", "_ZN3app59_$LT$impl$u20$app..mpsc..Bar$u20$for$u20$app..mpsc..Foo$GT$1f17h0bbb658d0c573010E");
	part("Bar::f", "_ZN3app59_$LT$impl$u20$app..mpsc..Bar$u20$for$u20$app..mpsc..Foo$GT$1f17h0bbb658d0c573010E");
	/* app::main::{{closure}} */
	part("{{closure}}", "_ZN3app4main28_$u7b$$u7b$closure$u7d$$u7d$17h1279c85b48620d25E");
	part("main::{{closure}}", "_ZN3app4main28_$u7b$$u7b$closure$u7d$$u7d$17h1279c85b48620d25E");
	inside("main", "_ZN3app4main28_$u7b$$u7b$closure$u7d$$u7d$17h1279c85b48620d25E");
}

static void v0_rust(void **state)
{
	(void)state;
	/* app::mpsc::produce */
	part("produce", "_RNvNtCs3z733ijUze4_3app4mpsc7produce");
	full("app::mpsc::produce", "_RNvNtCs3z733ijUze4_3app4mpsc7produce");
	part("mpsc::produce", "_RNvNtCs3z733ijUze4_3app4mpsc7produce");
	/* <app::mpsc::Queue<u8>>::push */
	part("push", "_RNvMNtCs3z733ijUze4_3app4mpscINtB2_5QueuehE4pushB4_");
	part("Queue::push", "_RNvMNtCs3z733ijUze4_3app4mpscINtB2_5QueuehE4pushB4_");
	part("mpsc::Queue::push", "_RNvMNtCs3z733ijUze4_3app4mpscINtB2_5QueuehE4pushB4_");
	part("Queue<u8>::push", "_RNvMNtCs3z733ijUze4_3app4mpscINtB2_5QueuehE4pushB4_");
	not("Queue<u32>::push", "_RNvMNtCs3z733ijUze4_3app4mpscINtB2_5QueuehE4pushB4_");
	/* <app::mpsc::Foo as app::mpsc::Bar>::f */
	part("Foo::f", "_RNvXs_NtCs3z733ijUze4_3app4mpscNtB4_3FooNtB4_3Bar1f");
	part("Bar::f", "_RNvXs_NtCs3z733ijUze4_3app4mpscNtB4_3FooNtB4_3Bar1f");
	/* <alloc::vec::Vec<u8> as app::mpsc::Bar>::f, <[u8] as app::mpsc::Bar>::f */
	part("Vec::f", "_RNvXs0_NtCs3z733ijUze4_3app4mpscINtNtCslNYArtu3iFV_5alloc3vec3VechENtB5_3Bar1f");
	part("Bar::f", "_RNvXs2_NtCs3z733ijUze4_3app4mpscShNtB5_3Bar1fB7_");
	/* app::mpsc::gen::<app::main::{closure#0}::{closure#0}> */
	part("gen", "_RINvNtCs3z733ijUze4_3app4mpsc3genNCNCNvB4_4main00EB4_");
	part("mpsc::gen", "_RINvNtCs3z733ijUze4_3app4mpsc3genNCNCNvB4_4main00EB4_");
	not("{closure#0}", "_RINvNtCs3z733ijUze4_3app4mpsc3genNCNCNvB4_4main00EB4_");
	/* app::main::{closure#0} */
	part("main::{closure#0}", "_RNCNvCs3z733ijUze4_3app4main0B3_");
}

static void path_is(const char *linkage_name, const char *want)
{
	char *path = called_path(linkage_name);

	assert_string_equal(path, want);
	free(path);
}

static void paths(void **state)
{
	(void)state;
	path_is("work", "work");
	path_is("_Z5rightm", "right");
	path_is("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back");
	path_is("_ZN1n1AIiEltERKS1_", "n::A::operator<");
	path_is("_RNvXs_NtCs3z733ijUze4_3app4mpscNtB4_3FooNtB4_3Bar1f", "app::mpsc::Foo::f");
	assert_string_equal(called_last("a::b::c"), "c");
	assert_string_equal(called_last("c"), "c");
}

/* No name makes it read beyond the text. */
static void nonsense(void **state)
{
	static const char *const texts[] = { "<", ">", "(", ")", "a<", "a<b", "a::", "::", "operator", "operator<", "<impl ", "<impl  for >",
					     "< as >", "<>", "<>::f", "[", "{", "a(", "a()(", "->", "(anonymous namespace)", "&", "<&", "a b c",
					     "((((", "<<<<", "a::b::c::d::e::f::g::h::i::j::k::l::m::n::o::p::q::r::s::t::u::v::w::x::y::z::a::b::c::d::e::f::g::h::i" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		how(texts[i], "_ZNSt6vectorIiSaIiEE9push_backERKi");
		how(texts[i], "_RNvXs_NtCs3z733ijUze4_3app4mpscNtB4_3FooNtB4_3Bar1f");
		how("f", texts[i]);
	}
}

/* Of a hostile file: each sign would be a level. */
static void deep_types(void **state)
{
	enum { LEVELS = 100000 };
	char *text = malloc(LEVELS + 1), *path;

	(void)state;
	assert_non_null(text);
	for (const char *sign = "<(&"; *sign; sign++) {
		memset(text, *sign, LEVELS);
		text[LEVELS] = '\0';
		path = called_path(text);
		free(path);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_c), cmocka_unit_test(plain_cxx), cmocka_unit_test(templates), cmocka_unit_test(odd_cxx),
cmocka_unit_test(async_rust),
cmocka_unit_test(coroutines),
		cmocka_unit_test(legacy_rust), cmocka_unit_test(v0_rust), cmocka_unit_test(paths), cmocka_unit_test(nonsense), cmocka_unit_test(deep_types),
	};

	return UNIT_MAIN(tests);
}
