#include "unit.h"

#include "text/caption.h"
#include "text/shortname.h"

static const struct letters TERMINAL = { 0 };

static void gives(const char *name, double room, const char *want)
{
	struct buf b = BUF_INIT;

	shortname_add(&b, name, &TERMINAL, room);
	assert_string_equal(b.s, want);
	buf_release(&b);
}

#define DOTS "\xe2\x80\xa6"

static void keeps_what_fits(void **state)
{
	(void)state;
	gives("", 5, "");
	gives("std::vector<int>::at(unsigned long) const", 50, "std::vector<int>::at(unsigned long) const");
}

static void parameters_go_first(void **state)
{
	(void)state;
	gives("std::vector<int>::at(unsigned long) const", 24, "std::vector<int>::at");
	gives("f(void (*)(int), g<(a)1>)", 10, "f");
	gives("a::operator()(int) const", 16, "a::operator()");
	gives("a::operator()", 11, "operator()");
	gives("operator()", 8, "oper" DOTS "r()");
	gives("a::f(b) [clone .isra.0]", 5, "a::f");
	gives("(anonymous namespace)::run(int)", 28, "(anonymous namespace)::run");
	gives("(a)", 2, "(" DOTS);
}

static void then_the_result(void **state)
{
	(void)state;
	gives("a::Handle<b::C> a::Parser<char>::parse<false>(int)", 30, "a::Parser<char>::parse<false>");
	gives("void (anonymous namespace)::run<int>(int)", 33, "(anonymous namespace)::run<int>");
	gives("operator new(unsigned long)", 15, "operator new");
	gives("<A as B>::f", 11, "<A as B>::f");
}

static void then_scopes_of_arguments(void **state)
{
	(void)state;
	gives("<alloc::vec::Vec<T> as core::ops::Drop>::drop", 22, "<Vec<T> as Drop>::drop");
	gives("a::b<c::d, ::e>::f", 17, "a::b<d, ::e>::f");
	gives("a<{closure#0}::b>::f", 19, "a<" DOTS ">::f");
}

static void then_arguments(void **state)
{
	(void)state;
	gives("std::map<int, std::vector<char> >::find(int)", 17, "std::map<" DOTS ">::find");
	gives("<alloc::vec::Vec<T> as core::ops::Drop>::drop", 12, "<" DOTS ">::drop");
	gives("a<fn() -> b<c>>::d", 10, "a<" DOTS ">::d");
	gives("out << x", 6, "out" DOTS " x");
	gives("a::operator<< <char>(b&)", 18, "a::operator<< <" DOTS ">");
	gives("a::operator->(b<c>)", 14, "a::operator->");
}

static void then_its_scopes(void **state)
{
	(void)state;
	gives("v8::internal::StringTable::LookupKey", 25, "StringTable::LookupKey");
	gives("v8::internal::StringTable::LookupKey", 12, "LookupKey");
	gives("a::b::Parser<c>::parse<false>(int)", 12, "parse<" DOTS ">");
	gives("a::", 2, "a" DOTS);
}

static void then_the_middle(void **state)
{
	(void)state;
	gives("abcdefghijklmnop<q>(r)", 9, "abcd" DOTS "p<" DOTS ">");
	gives("abcdefgh", 5, "ab" DOTS "gh");
	gives("abcdefgh<1>ghij", 13, "abcdef" DOTS ">ghij"); /* not two */
}

/* Any bytes: never wider than asked. */
static void holds_for_any_bytes(void **state)
{
	static const char some[] = "<>()->::operator const,ab ";
	unsigned long seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[24];
		struct buf b = BUF_INIT;

		for (size_t i = 0; i < sizeof text; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[i] = some[(seed >> 33) % (sizeof some - 1)];
		}
		text[sizeof text - 1] = '\0';
		shortname_add(&b, text, &TERMINAL, 1 + round % 12);
		assert_true(caption_width(b.s, &TERMINAL) <= 1 + round % 12);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_fits),
		cmocka_unit_test(parameters_go_first),
		cmocka_unit_test(then_the_result),
		cmocka_unit_test(then_scopes_of_arguments),
		cmocka_unit_test(then_arguments),
		cmocka_unit_test(then_its_scopes),
		cmocka_unit_test(then_the_middle),
		cmocka_unit_test(holds_for_any_bytes),
	};

	return UNIT_MAIN(tests);
}
