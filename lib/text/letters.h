/*
 * letters: the width of text.
 *
 * The font of a picture's viewer is unknown.  The widths here are those of DejaVu Sans,
 * one of the widest fonts for "sans-serif": text that fits with them fits in other
 * fonts, too.
 */
#ifndef ANDWEORC_TEXT_LETTERS_H
#define ANDWEORC_TEXT_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

struct letters {
	double size; /* height of the font in pixels; 0: a terminal, widths are columns */
	bool bold;
};

/* The width of one character.  In a terminal 1, or 2 if it is wide (CJK, emoji). */
double letters_width(const struct letters *l, uint32_t c);

#endif
