/* SPDX-License-Identifier: Apache-2.0 */
#include "base/columns.h"
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int columns_of_stdout(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col)
		return COLUMNS_DEFAULT;
	return w.ws_col < COLUMNS_MIN ? COLUMNS_MIN : w.ws_col > COLUMNS_MAX ? COLUMNS_MAX : w.ws_col;
}

int columns_of_terminal(void)
{
	return isatty(STDOUT_FILENO) ? columns_of_stdout() : 0;
}

void columns_wrap(FILE *out, const char *text, int at, int indent, int columns)
{
	bool begun = false;

	while (*text && *text != '\n') {
		int n = (int)strcspn(text, " \n");

		if (columns && at + n + begun > columns && at > indent) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
			begun = false;
		}
		at += fprintf(out, "%s%.*s", begun ? " " : "", n, text);
		begun = true;
		text += n + (text[n] == ' ');
	}
	fputc('\n', out);
}
