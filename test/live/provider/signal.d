/* SPDX-License-Identifier: Apache-2.0 */
/* Provider signal: SIGUSR1 is handled, SIGUSR2 ignored, SIGHUP waits to be taken.
 * @options: -q
 * @trigger: life */
signal:::send, signal:::discard
/pid == $target && (arg1 == 1 || arg1 == 10 || arg1 == 12)/
{
	@n[probename, (int)arg1] = count();
}

signal:::handle
/pid == $target && arg0 == 10/
{
	@n[probename, (int)arg0] = count();
}

END
{
	printa("%s %d: %@d\n", @n);
}
