/* SPDX-License-Identifier: Apache-2.0 */
/* Draws texts, columns and colours with curses. */
#include "top/draw.h"
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include "top/glyph.h"

#define TEXT_MAX 1024
enum { PAIR_BAD = GLYPH_LEVELS + 1, PAIR_TITLE };

/* Light to dark differs in lightness as well as in hue: dark purple to yellow. */
static const short levels_256[GLYPH_LEVELS] = { 61, 67, 73, 79, 114, 150, 185, 220 };
static const short levels_8[GLYPH_LEVELS] = { COLOR_BLUE,  COLOR_BLUE,	COLOR_CYAN,   COLOR_CYAN,
					      COLOR_GREEN, COLOR_GREEN, COLOR_YELLOW, COLOR_RED };

void draw_init(bool *ret_colours)
{
	const char *no = getenv("NO_COLOR");

	*ret_colours = false;
	if ((no && *no) || !has_colors() || start_color() == ERR || use_default_colors() == ERR)
		return;
	for (short i = 0; i < GLYPH_LEVELS; i++)
		init_pair((short)(i + 1), COLORS >= 256 ? levels_256[i] : levels_8[i], -1);
	init_pair(PAIR_BAD, COLOR_RED, -1);
	init_pair(PAIR_TITLE, COLOR_CYAN, -1);
	*ret_colours = true;
}

static attr_t style_attr(const struct pane *p, enum style style)
{
	switch (style) {
	case STYLE_DIM: return A_DIM;
	case STYLE_BOLD: return A_BOLD;
	case STYLE_TITLE: return A_BOLD | (p->colours ? COLOR_PAIR(PAIR_TITLE) : 0);
	case STYLE_HEAD: return A_REVERSE;
	case STYLE_SELECTED: return A_BOLD | A_UNDERLINE;
	case STYLE_BAD: return A_BOLD | (p->colours ? COLOR_PAIR(PAIR_BAD) : A_REVERSE);
	default: return A_NORMAL;
	}
}

static void draw(const struct pane *p, int y, int x, int width, enum style style, const char *text, bool right)
{
	char buf[TEXT_MAX];
	int used, left;

	if (y < 0 || y >= p->rows || x >= p->cols || width <= 0)
		return;
	if (x + width > p->cols)
		width = p->cols - x;
	used = (int)glyph_fit(buf, sizeof(buf), text, (size_t)width, p->utf8);
	left = width - used;
	attrset(style_attr(p, style));
	move(y, x);
	for (int i = 0; right && i < left; i++)
		addch(' ');
	addstr(buf);
	for (int i = 0; !right && i < left; i++)
		addch(' ');
	attrset(A_NORMAL);
}

void draw_text(const struct pane *p, int y, int x, int width, enum style style, const char *text)
{
	draw(p, y, x, width, style, text, false);
}

void draw_right(const struct pane *p, int y, int x, int width, enum style style, const char *text)
{
	draw(p, y, x, width, style, text, true);
}

void draw_level(const struct pane *p, int y, int x, unsigned level, bool bar)
{
	if (y < 0 || y >= p->rows || x < 0 || x >= p->cols)
		return;
	attrset(p->colours && level ? COLOR_PAIR((int)level) : A_NORMAL);
	/* With colours a cell of a heat map is filled: the colour tells the level. */
	mvaddstr(y, x,
		 bar ? glyph_bar(level, p->utf8) : glyph_shade(p->colours && level ? GLYPH_LEVELS : level, p->utf8));
	attrset(A_NORMAL);
}
