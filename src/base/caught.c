/* SPDX-License-Identifier: Apache-2.0 */
#include "base/caught.h"
#include <stddef.h>
#include "base/cleanup.h"

volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

void caught_begin(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(ending[i], &(struct sigaction){ .sa_handler = on_signal }, NULL);
}
