/* SPDX-License-Identifier: Apache-2.0 */
#include "base/columns.h"
#include <sys/ioctl.h>
#include <unistd.h>

int columns_of_stdout(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col)
		return COLUMNS_DEFAULT;
	return w.ws_col < COLUMNS_MIN ? COLUMNS_MIN : w.ws_col > COLUMNS_MAX ? COLUMNS_MAX : w.ws_col;
}
