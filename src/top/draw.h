/* SPDX-License-Identifier: Apache-2.0 */
/* Draws on the terminal: texts in columns, colours, and panes. */
#ifndef DWELL_TOP_DRAW_H
#define DWELL_TOP_DRAW_H
#include "top/data.h"

enum pane_kind { PANE_ALL, PANE_CAUSES, PANE_SLOW, PANE_CPU, PANE_HEAT, PANE_HELP, NPANES };

enum style { STYLE_PLAIN, STYLE_DIM, STYLE_BOLD, STYLE_TITLE, STYLE_HEAD, STYLE_SELECTED, STYLE_BAD };

/* The user's choices, and the terminal. */
struct pane {
	const struct top_data *d;
	const char *title;
	enum pane_kind kind;
	size_t tracker; /* selected */
	size_t scroll;	/* rows of the pane that are above its window; clamped by drawing */
	bool idle, since_begin, paused;
	bool utf8, colours;
	int rows, cols;
};

void draw_init(bool *ret_colours); /* pairs of colours; respects NO_COLOR */
/* Text from column x on, cut at (and filled up to) width columns. */
void draw_text(const struct pane *p, int y, int x, int width, enum style style, const char *text);
void draw_right(const struct pane *p, int y, int x, int width, enum style style, const char *text);
/* One character of level 0 … 8 in its colour; bars by height, else shades. */
void draw_level(const struct pane *p, int y, int x, unsigned level, bool bar);

/* The whole screen. */
void pane_draw(struct pane *p);
#endif
