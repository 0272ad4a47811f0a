#include "base/utf8.h"

size_t utf8_decode(const char *text, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t len = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : (s[0] & 0xf8) == 0xf0 ? 4 : 0;
	uint32_t value = s[0];

	*c = s[0];
	if (len < 2)
		return len;
	value &= 0xffu >> (len + 1);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value < least[len] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*c = value;
	return len;
}

/*
 * From Unicode 15, ascending: general categories Cc, Cf, Zl, Zp, Zs except the blank, and
 * other invisible characters.
 */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0, 0x1f },
	{ 0x7f, 0xa0 },         /* with the blank that does not break */
	{ 0xad, 0xad },         /* soft hyphen */
	{ 0x34f, 0x34f },       /* grapheme joiner */
	{ 0x600, 0x605 },       /* Arabic number signs */
	{ 0x61c, 0x61c },       /* direction */
	{ 0x6dd, 0x6dd },
	{ 0x70f, 0x70f },
	{ 0x890, 0x891 },
	{ 0x8e2, 0x8e2 },
	{ 0x115f, 0x1160 },     /* Hangul fillers */
	{ 0x1680, 0x1680 },     /* blank of Ogham */
	{ 0x17b4, 0x17b5 },     /* vowels of Khmer that show nothing */
	{ 0x180b, 0x180f },     /* selectors and separator of Mongolian */
	{ 0x2000, 0x200f },     /* blanks of all widths, of none, and direction */
	{ 0x2028, 0x202f },     /* ends of lines and paragraphs, direction, narrow blank */
	{ 0x205f, 0x206f },     /* blank of mathematics, invisible operators, direction */
	{ 0x2800, 0x2800 },     /* Braille without a dot */
	{ 0x3000, 0x3000 },     /* wide blank */
	{ 0x3164, 0x3164 },     /* Hangul filler */
	{ 0xd800, 0xdfff },     /* halves of characters */
	{ 0xfdd0, 0xfdef },     /* no characters */
	{ 0xfe00, 0xfe0f },     /* selectors of variants */
	{ 0xfeff, 0xfeff },     /* byte order */
	{ 0xffa0, 0xffa0 },     /* Hangul filler */
	{ 0xfff0, 0xfffb },     /* annotations */
	{ 0x110bd, 0x110bd },   /* Kaithi number signs */
	{ 0x110cd, 0x110cd },
	{ 0x13430, 0x1343f },   /* joiners of hieroglyphs */
	{ 0x1bca0, 0x1bca3 },   /* shorthand */
	{ 0x1d173, 0x1d17a },   /* music */
	{ 0xe0000, 0xe0fff },   /* tags, and more selectors */
};

bool utf8_is_hidden(uint32_t c)
{
	if (c >= 0x20 && c < 0x7f)
		return false;
	for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && c >= hidden[i].first; i++)
		if (c <= hidden[i].last)
			return true;
	return (c & 0xfffe) == 0xfffe;
}

size_t utf8_columns(uint32_t c)
{
	bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
		    (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
		    (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);

	return wide ? 2 : 1;
}
