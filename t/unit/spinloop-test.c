/*
 * Instructions in loops that wait for memory to change, in functions as compilers translate
 * them from C.  Instructions are blank-separated; those in such loops have a star.
 */
#include "unit.h"

#include "binary/spinloop.h"

static const struct {
	const char *name, *code;
} compiled[] = {
	{ "clang -O0, counting bits",
	  "55 4889e5 48897df8 c745f400000000 48837df800 0f8423000000 488b4df8 4883e101 486345f4 4801c8 8945f4 488b45f8 48c1e801 488945f8 e9d2ffffff 8b45f4 5d c3" },
	{ "gcc -O0, counting bits",
	  "55 4889e5 48897de8 c745fc00000000 eb15 488b45e8 83e001 89c2 8b45fc 01d0 8945fc 48d16de8 48837de800 75e4 8b45fc 5d c3" },
	{ "clang -O0, counting",
	  "55 4889e5 897dfc c745f800000000 8b45f8 3b45fc 0f830e000000 8b45f8 83c001 8945f8 e9e6ffffff 5d c3" },
	{ "clang -O1, counting",
	  "85ff 7411 662e0f1f840000000000 6690 83c7ff 75fb c3" },
	{ "gcc -O0, counting",
	  "55 4889e5 897dec c745fc00000000 eb04 8345fc01 8b45fc 3b45ec 72f4 90 90 5d c3" },
	{ "clang -O0, a checksum",
	  "55 4889e5 48897df8 8975f4 c745f000000000 c745ec00000000 8b45ec 3b45f4 0f8d2d000000 8b45f0 c1e801 8b4df0 c1e11f 09c8 488b4df8 486355ec 0fb60c11 31c8 8945f0 8b45ec 83c001 8945ec e9c7ffffff 8b45f0 5d c3" },
	{ "gcc -O0, a checksum",
	  "55 4889e5 48897de8 8975e4 c745fc00000000 c745f800000000 eb23 8b45fc d1c8 89c1 8b45f8 4863d0 488b45e8 4801d0 0fb600 0fb6c0 31c8 8945fc 8345f801 8b45f8 3b45e4 7cd5 8b45fc 5d c3" },
	{ "clang -O0, a search in an array",
	  "55 4889e5 48897df0 8975ec c745e800000000 8b45e8 3b45ec 0f8d39000000 488b45f0 48634de8 48c1e104 4801c8 8b4008 83f800 0f840b000000 8b45e8 8945fc e91a000000 e900000000 8b45e8 83c001 8945e8 e9bbffffff c745fcffffffff 8b45fc 5d c3" },
	{ "gcc -O0, a search in an array",
	  "55 4889e5 48897de8 8975e4 c745fc00000000 eb23 8b45fc 4898 48c1e004 4889c2 488b45e8 4801d0 8b4008 85c0 7405 8b45fc eb11 8345fc01 8b45fc 3b45e4 7cd5 b8ffffffff 5d c3" },
	{ "clang -O0, a hash",
	  "55 4889e5 48897df8 c745f400000000 488b45f8 803800 0f8420000000 6b45f41f 488b4df8 4889ca 4883c201 488955f8 0fbe09 01c8 8945f4 e9d3ffffff 8b45f4 5d c3" },
	{ "gcc -O0, a hash",
	  "55 4889e5 48897de8 c745fc00000000 eb23 8b55fc 89d0 c1e005 29d0 89c1 488b45e8 488d5001 488955e8 0fb600 0fbec0 01c8 8945fc 488b45e8 0fb600 84c0 75d2 8b45fc 5d c3" },
	{ "clang -O0, a search without end",
	  "55 4889e5 48897df8 8975f4 c745f000000000 488b45f8 48634df0 8b0488 3b45f4 0f840e000000 8b45f0 83c001 8945f0 e9deffffff 8b45f0 5d c3" },
	{ "gcc -O0, a search without end",
	  "55 4889e5 48897de8 8975e4 c745fc00000000 eb04 8345fc01 8b45fc 4898 488d148500000000 488b45e8 4801d0 8b00 3945e4 75e1 8b45fc 5d c3" },
	{ "clang -O0, the last of a list",
	  "55 4889e5 48897df8 488b45f8 48833800 0f8410000000 488b45f8 488b00 488945f8 e9e2ffffff 488b45f8 5d c3" },
	{ "clang -O1, the last of a list",
	  "4889f8 488b3f 4885ff 75f5 c3" },
	{ "gcc -O0, the last of a list",
	  "55 4889e5 48897df8 eb0b 488b45f8 488b00 488945f8 488b45f8 488b00 4885c0 75e9 488b45f8 5d c3" },
	{ "clang -O0, counting up to what is in memory",
	  "55 4889e5 c745fc00000000 8b45fc 8b0d00000000 39c8 0f8d13000000 e900000000 8b45fc 83c001 8945fc e9dcffffff 5d c3" },
	{ "gcc -O0, counting up to what is in memory",
	  "55 4889e5 c745fc00000000 eb04 8345fc01 8b0500000000 3945fc 7cf1 90 90 5d c3" },
	{ "clang -O0, a search in a list",
	  "55 4889e5 48897df8 8975f4 31c0 48837df800 8845f3 0f8410000000 488b45f8 8b4008 3b45f4 0f95c0 8845f3 8a45f3 a801 0f8505000000 e910000000 488b45f8 488b00 488945f8 e9c0ffffff 488b45f8 5d c3" },
	{ "clang -O1, a search in a list",
	  "4889f8 4885ff 7415 0f1f840000000000 397008 7408 488b00 4885c0 75f3 c3" },
	{ "clang -O2, a search in a list",
	  "4885ff 7418 4889f8 0f1f840000000000 397008 740a 488b00 4885c0 75f3 31c0 c3" },
	{ "gcc -O0, a search in a list",
	  "55 4889e5 48897df8 8975f4 eb0b 488b45f8 488b00 488945f8 48837df800 740c 488b45f8 8b4008 3945f4 75e2 488b45f8 5d c3" },
	{ "clang -O0, a walk of n steps in a list",
	  "55 4889e5 48897df8 8975f4 488b45f8 488b00 488945e8 31c0 48837de800 8845e7 0f8414000000 8b45f4 89c1 83c1ff 894df4 83f800 0f95c0 8845e7 8a45e7 a801 0f8505000000 e910000000 488b45e8 488b00 488945e8 e9bcffffff 488b45e8 5d c3" },
	{ "gcc -O0, a walk of n steps in a list",
	  "55 4889e5 48897de8 8975e4 488b45e8 488b00 488945f8 eb0b 488b45f8 488b00 488945f8 48837df800 740d 8b45e4 8d50ff 8955e4 85c0 75e1 488b45f8 5d c3" },
	{ "clang -O0, memchr",
	  "55 4889e5 48897df0 8975ec 488955e0 48837de000 0f843f000000 488b45f0 0fbe00 3b45ec 0f850d000000 488b45f0 488945f8 e92a000000 e900000000 488b45e0 4883c0ff 488945e0 488b45f0 4883c001 488945f0 e9b6ffffff 48c745f800000000 488b45f8 5d c3" },
	{ "clang -O1, memchr",
	  "4885d2 741c 4889f8 0f1f840000000000 0fbe08 39f1 740c 4883c001 4883c2ff 75ef 31c0 c3" },
	{ "gcc -O0, memchr",
	  "55 4889e5 48897df8 8975f4 488955e8 eb1f 488b45f8 0fb600 0fbec0 3945f4 7506 488b45f8 eb16 48836de801 488345f801 48837de800 75da b800000000 5d c3" },
	{ "gcc -O1, memchr",
	  "4889f8 4885d2 7419 4801fa 0fbe08 39f1 7414 4883c001 4839c2 75f0 b800000000 c3" },
	{ "gcc -O0, strcmp",
	  "55 4889e5 48897df8 488975f0 eb0a 488345f801 488345f001 488b45f8 0fb600 84c0 7412 488b45f8 0fb610 488b45f0 0fb600 38c2 74d9 488b45f8 0fb600 0fbed0 488b45f0 0fb600 0fbec0 29c2 89d0 5d c3" },
	{ "clang -O0, strlen",
	  "55 4889e5 48897df8 488b45f8 488945f0 488b45f0 803800 0f8411000000 488b45f0 4883c001 488945f0 e9e2ffffff 488b45f0 488b4df8 4829c8 5d c3" },
	{ "clang -O1, strlen",
	  "48c7c0ffffffff 660f1f840000000000 807c070100 488d4001 75f5 c3" },
	{ "gcc -O0, strlen",
	  "55 4889e5 48897de8 488b45e8 488945f8 eb05 488345f801 488b45f8 0fb600 84c0 75f0 488b45f8 482b45e8 5d c3" },
	{ "gcc -O1, strlen",
	  "803f00 7410 4889f8 4883c001 803800 75f7 4829f8 c3" },
	{ "gcc -O2, strlen",
	  "803f00 741b 4889f8 0f1f840000000000 4883c001 803800 75f7 4829f8 c3" },
	{ "clang -O0, a sum",
	  "55 4889e5 48897df8 8975f4 48c745e800000000 c745e400000000 8b45e4 3b45f4 0f8d22000000 488b45f8 48634de4 488b04c8 480345e8 488945e8 8b45e4 83c001 8945e4 e9d2ffffff 488b45e8 5d c3" },
	{ "clang -O1, a sum",
	  "85f6 7e1a 89f1 31d2 31c0 660f1f440000 480304d7 4883c201 4839d1 75f3 c3" },
	{ "clang -O2, a sum",
	  "85f6 7e10 89f1 83fe04 730c 31d2 31c0 e9fc000000 31c0 c3" },
	{ "gcc -O0, a sum",
	  "55 4889e5 48897de8 8975e4 48c745f800000000 c745f400000000 eb1f 8b45f4 4898 488d14c500000000 488b45e8 4801d0 488b00 480145f8 8345f401 8b45f4 3b45e4 7cd9 488b45f8 5d c3" },
	{ "clang -O0, counting, volatile",
	  "55 4889e5 c745fc00000000 8b45fc 3de8030000 0f8d13000000 e900000000 8b45fc 83c001 8945fc e9dfffffff 5d c3" },
	{ "clang -O1, counting, volatile",
	  "c74424fc00000000 8b4424fc 3de7030000 7f1d 662e0f1f840000000000 0f1f00 834424fc01 8b4424fc 3de8030000 7cf0 c3" },
	{ "gcc -O0, counting, volatile",
	  "55 4889e5 c745fc00000000 eb09 8b45fc 83c001 8945fc 8b45fc 3de7030000 7eed 90 90 5d c3" },
	{ "clang -O0, counting up to a parameter, volatile",
	  "55 4889e5 897dfc c745f800000000 8b45f8 3b45fc 0f8d13000000 e900000000 8b45f8 83c001 8945f8 e9e1ffffff 5d c3" },
	{ "gcc -O0, counting up to a parameter, volatile",
	  "55 4889e5 897dec c745fc00000000 eb09 8b45fc 83c001 8945fc 8b45fc 3945ec 7fef 90 90 5d c3" },
	{ "clang -O0, counting until a flag",
	  "55 4889e5 48c745f800000000 8a0500000000 34ff a801 0f8505000000 e911000000 488b45f8 4883c001 488945f8 e9daffffff 488b45f8 5d c3" },
	{ "gcc -O0, counting until a flag",
	  "55 4889e5 48c745f800000000 eb05 488345f801 0fb60500000000 83f001 84c0 75ed 488b45f8 5d c3" },
	{ "clang -O0, while (!atomic_load(&flag))",
	  "55 4889e5 *8b0500000000 *8945fc *837dfc00 *0f95c0 *34ff *a801 *0f8505000000 e905000000 *e9dcffffff 5d c3" },
	{ "clang -O1, while (!atomic_load(&flag))",
	  "*8b0500000000 *85c0 *74f6 c3" },
	{ "gcc -O0, while (!atomic_load(&flag))",
	  "55 4889e5 90 *488d0500000000 *488945f8 *488b45f8 *8b00 *8945f4 *8b45f4 *85c0 *74e5 90 90 5d c3" },
	{ "clang -O0, while (!flag), a bool",
	  "55 4889e5 e900000000 *8a0500000000 *34ff *a801 *0f8505000000 e905000000 *e9e6ffffff 5d c3" },
	{ "clang -O1, while (!flag), a bool",
	  "*803d0000000000 *74f7 c3" },
	{ "gcc -O0, while (!flag), a bool",
	  "55 4889e5 90 *0fb60500000000 *83f001 *84c0 *75f2 90 90 5d c3" },
	{ "gcc -O1, while (!flag), a bool",
	  "*0fb60500000000 *84c0 *74f5 c3" },
	{ "clang -O0, while (s->flag && i < 35000) i++, volatile",
	  "55 4889e5 48897df8 48c745f000000000 488b45f8 8b4808 31c0 83f900 8845ef 0f8410000000 488b45f0 483db8880000 0f92c0 8845ef 8a45ef a801 0f8505000000 e911000000 488b45f0 4883c001 488945f0 e9baffffff 5d c3" },
	{ "gcc -O0, while (s->flag && i < 35000) i++, volatile",
	  "55 4889e5 48897de8 48c745f800000000 eb0c *488b45f8 *4883c001 *488945f8 *488b45e8 *8b4008 *85c0 *740c *488b45f8 *483db7880000 *76dd 90 5d c3" },
	{ "clang -O0, while (!s->flag && i < 35000) i++, volatile",
	  "55 4889e5 48897df8 48c745f000000000 488b45f8 8b4808 31c0 83f900 8845ef 0f8510000000 488b45f0 483db8880000 0f92c0 8845ef 8a45ef a801 0f8505000000 e911000000 488b45f0 4883c001 488945f0 e9baffffff 5d c3" },
	{ "gcc -O0, while (!s->flag && i < 35000) i++, volatile",
	  "55 4889e5 48897de8 48c745f800000000 eb0c *488b45f8 *4883c001 *488945f8 *488b45e8 *8b4008 *85c0 *750c *488b45f8 *483db7880000 *76dd 90 5d c3" },
	{ "clang -O0, for (i = 0; i < 1000 && !s->flag; i++)",
	  "55 4889e5 48897df8 c745f400000000 31c0 817df4e8030000 8845f3 0f8d12000000 488b45f8 8b4008 83f800 0f95c0 34ff 8845f3 8a45f3 a801 0f8505000000 e913000000 e900000000 8b45f4 83c001 8945f4 e9b9ffffff 5d c3" },
	{ "gcc -O0, for (i = 0; i < 1000 && !s->flag; i++)",
	  "55 4889e5 48897de8 c745fc00000000 eb04 *8345fc01 *817dfce7030000 *7f0b *488b45e8 *8b4008 *85c0 *74e8 90 5d c3" },
	{ "clang -O0, do {} while (flag < 3)",
	  "55 4889e5 48897df8 *e900000000 *8b0500000000 *83f803 *0f8cecffffff 5d c3" },
	{ "clang -O1, do {} while (flag < 3)",
	  "*8b0500000000 *83f803 *7cf5 c3" },
	{ "gcc -O0, do {} while (flag < 3)",
	  "55 4889e5 48897df8 *8b0500000000 *83f802 *7ef5 90 90 5d c3" },
	{ "gcc -O1, do {} while (flag < 3)",
	  "*8b0500000000 *83f802 *7ef5 c3" },
	{ "clang -O0, while (s->flag == generation)",
	  "55 4889e5 48897df8 8975f4 *488b45f8 *8b4008 *3b45f4 *0f8505000000 *e9ebffffff 5d c3" },
	{ "clang -O1, while (s->flag == generation)",
	  "*8b4708 *39f0 *74f9 c3" },
	{ "gcc -O0, while (s->flag == generation)",
	  "55 4889e5 48897df8 8975f4 90 *488b45f8 *8b4008 *3945f4 *74f4 90 90 5d c3" },
	{ "clang -O0, while (!flag)",
	  "55 4889e5 e900000000 *8b0500000000 *83f800 *0f95c0 *34ff *a801 *0f8505000000 e905000000 *e9e0ffffff 5d c3" },
	{ "clang -O1, while (!flag)",
	  "*833d0000000000 *74f7 c3" },
	{ "gcc -O0, while (!flag)",
	  "55 4889e5 90 *8b0500000000 *85c0 *74f6 90 90 5d c3" },
	{ "gcc -O1, while (!flag)",
	  "*8b0500000000 *85c0 *74f6 c3" },
	{ "clang -O0, while (flag != 5), a long",
	  "55 4889e5 e900000000 *488b0500000000 *4883f805 *0f8405000000 *e9eaffffff 5d c3" },
	{ "clang -O1, while (flag != 5), a long",
	  "*488b0500000000 *4883f805 *75f3 c3" },
	{ "gcc -O0, while (flag != 5), a long",
	  "55 4889e5 90 *488b0500000000 *4883f805 *75f3 90 90 5d c3" },
	{ "clang -O0, while (s->flag == 0)",
	  "55 4889e5 48897df8 *488b45f8 *8b4008 *83f800 *0f8505000000 *e9ebffffff 5d c3" },
	{ "clang -O1, while (s->flag == 0)",
	  "*837f0800 *74fa c3" },
	{ "gcc -O0, while (s->flag == 0)",
	  "55 4889e5 48897df8 90 *488b45f8 *8b4008 *85c0 *74f5 90 90 5d c3" },
	{ "gcc -O1, while (s->flag == 0)",
	  "*8b4708 *85c0 *74f9 c3" },
	{ "clang -O0, while (*pointer == 0), of a volatile pointer",
	  "55 4889e5 e900000000 *488b0500000000 *8b00 *83f800 *0f8505000000 *e9e9ffffff 5d c3" },
	{ "clang -O1, while (*pointer == 0), of a volatile pointer",
	  "488b0500000000 660f1f840000000000 *833800 *74fb c3" },
	{ "gcc -O0, while (*pointer == 0), of a volatile pointer",
	  "55 4889e5 90 *488b0500000000 *8b00 *85c0 *74f3 90 90 5d c3" },
	{ "gcc -O1, while (*pointer == 0), of a volatile pointer",
	  "488b1500000000 *8b02 *85c0 *74fa c3" },
	{ "gcc -O2, while (*pointer == 0), of a volatile pointer",
	  "488b1500000000 660f1f840000000000 *8b02 *85c0 *74fa c3" },
	{ "clang -O0, while (!flag && !other)",
	  "55 4889e5 48897df8 8b0d00000000 31c0 83f900 8845f7 0f850b000000 8a0500000000 34ff 8845f7 8a45f7 a801 0f8505000000 e905000000 e9ccffffff 5d c3" },
	{ "clang -O1, while (!flag && !other)",
	  "*833d0000000000 *7509 *803d0000000000 *74ee c3" },
	{ "gcc -O0, while (!flag && !other)",
	  "55 4889e5 48897df8 90 *8b0500000000 *85c0 *750e *0fb60500000000 *83f001 *84c0 *75e8 90 5d c3" },
	{ "gcc -O1, while (!flag && !other)",
	  "*8b0500000000 *85c0 *750b *0fb60500000000 *84c0 *74eb c3" },
};

enum { MOST = 512 };

/* Bytes of `text`, and where its instructions begin. */
static size_t assemble(const char *text, unsigned char bytes[MOST], size_t starts[MOST], bool waits[MOST], size_t *n)
{
	size_t len = 0;
	unsigned byte;

	*n = 0;
	while (*text) {
		waits[*n] = *text == '*';
		text += *text == '*';
		starts[(*n)++] = len;
		while (sscanf(text, "%2x", &byte) == 1 && *text != ' ') {
			bytes[len++] = (unsigned char)byte;
			text += 2;
			if (!*text || *text == ' ')
				break;
		}
		text += *text == ' ';
	}
	return len;
}

static void of_compilers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof compiled / sizeof compiled[0]; i++) {
		unsigned char code[MOST];
		size_t starts[MOST], n, len;
		bool waits[MOST];

		len = assemble(compiled[i].code, code, starts, waits, &n);
		for (size_t k = 0; k < n; k++)
			if (spinloop_at(code, len, starts[k]) != waits[k])
				fail_msg("%s: byte %zu is%s in a loop that waits", compiled[i].name, starts[k], waits[k] ? "" : " not");
	}
}

/* Nothing is read beyond the end, at any position and for any code. */
static void of_anything(void **state)
{
	unsigned random = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)round % 64 + 1;
		unsigned char *code = malloc(len);

		assert_non_null(code);
		for (size_t i = 0; i < len; i++) {
			static const unsigned char likely[] = { 0x8b, 0x85, 0x75, 0x74, 0xeb, 0x48, 0x0f, 0x66, 0x83, 0x04, 0xc0, 0xfe, 0xf8 };

			random = random * 1103515245 + 12345;
			code[i] = random >> 30 ? likely[(random >> 16) % sizeof likely] : (unsigned char)(random >> 16);
		}
		for (size_t at = 0; at <= len; at++)
			spinloop_at(code, len, at);
		free(code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_compilers),
		cmocka_unit_test(of_anything),
	};

	return UNIT_MAIN(tests);
}
