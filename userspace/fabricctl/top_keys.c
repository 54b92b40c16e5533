// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What keys do
 */
#include <string.h>

#include "terminal.h"
#include "top.h"

static const struct {
	char key;
	enum top_value value;
} sort_keys[] = {
	{ 'l', TOP_LINK }, { 'w', TOP_WRITES }, { 'c', TOP_COMMITTED },
	{ 'b', TOP_BYTES }, { 'r', TOP_REJECTS }, { 'd', TOP_QUEUE },
	{ 'x', TOP_RX }, { 't', TOP_HELD }, { 'i', TOP_INTERRUPTS },
	{ 'y', TOP_DELAYED },
};

static void sort_by(struct top *top, enum top_value value)
{
	top->sort = value;
	top->screen.first = 0;
	top_sort(top);
}

/* ---- the filter as it is typed ------------------------------------------ */

static void type(struct top_screen *screen, int key)
{
	size_t length = strlen(screen->typed);

	if (key == KEY_ESCAPE) {
		screen->typing = false;
	} else if (key == '\n' || key == '\r') {
		screen->typing = false;
		memcpy(screen->filter, screen->typed, sizeof(screen->filter));
		screen->first = 0;
	} else if ((key == 127 || key == '\b') && length) {
		screen->typed[length - 1] = 0;
	} else if (key >= ' ' && key < 127 && length + 1 < sizeof(screen->typed)) {
		screen->typed[length] = (char)key;
		screen->typed[length + 1] = 0;
	}
}

/* ---- scrolling ---------------------------------------------------------- */

static bool scroll(struct top *top, int key)
{
	int page = top->screen.lines > 5 ? top->screen.lines - 5 : 1;
	long first = top->screen.first, last = (long)top_shown(top) - 1;

	switch (key) {
	case KEY_UP:
		first--;
		break;
	case KEY_DOWN:
		first++;
		break;
	case KEY_PAGE_UP:
		first -= page;
		break;
	case KEY_PAGE_DOWN:
		first += page;
		break;
	case KEY_HOME:
		first = 0;
		break;
	case KEY_END:
		first = last - page + 1;
		break;
	default:
		return false;
	}
	if (first > last)
		first = last;
	top->screen.first = first < 0 ? 0 : (unsigned int)first;
	return true;
}

bool top_key(struct top *top, int key)
{
	struct top_screen *screen = &top->screen;
	unsigned int i;

	if (screen->typing) {
		type(screen, key);
		return true;
	}
	if (scroll(top, key))
		return true;
	for (i = 0; i < ARRAY_SIZE(sort_keys); i++)
		if (sort_keys[i].key == key)
			sort_by(top, sort_keys[i].value);
	switch (key) {
	case 'q':
		return false;
	case 'p':
	case ' ':
		screen->paused = !screen->paused;
		break;
	case 's':
		sort_by(top, (top->sort + 1) % NR_TOP_VALUES);
		break;
	case '/':
		screen->typing = true;
		screen->typed[0] = 0;
		break;
	case 'h':
	case '?':
		screen->help = !screen->help;
		break;
	case KEY_ESCAPE:
		screen->help = false;
		break;
	}
	return true;
}
