#include "text/letters.h"

#include "base/utf8.h"

/* In hundredths of the size, from the blank to '~': DejaVu Sans, and its bold. */
static const unsigned char ascii[2][95] = {
	{
		32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
		64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
		61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
		64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
	},
	{
		35, 46, 53, 84, 70, 101, 88, 31, 46, 46, 53, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70,
		70, 70, 40, 40, 84, 84, 84, 59, 100, 78, 77, 74, 84, 69, 69, 83, 84, 38, 38, 78, 64, 100, 84, 86,
		74, 86, 78, 73, 69, 82, 78, 111, 78, 73, 73, 46, 37, 46, 84, 50, 50, 68, 72, 60, 72, 68, 44, 72,
		72, 35, 35, 67, 35, 105, 72, 69, 72, 72, 50, 60, 48, 72, 66, 93, 65, 66, 59, 72, 37, 72, 84,
	},
};

double letters_width(const struct letters *l, uint32_t c)
{
	if (l->size <= 0)
		return (double)utf8_columns(c);
	if (c >= ' ' && c <= '~')
		return l->size * ascii[l->bold][c - ' '] / 100;
	if (c == 0xb7) /* the dot between two parts of a line */
		return l->size * 0.38;
	return l->size * (utf8_columns(c) > 1 ? 1.3 : l->bold ? 1.12 : 1); /* most other letters are narrower */
}
