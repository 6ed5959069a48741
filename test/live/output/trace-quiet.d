/* SPDX-License-Identifier: Apache-2.0 */
/* trace under -q: values without padding.
 * @options: -q */
BEGIN
{
	trace(5); trace("\n");
	trace("x"); trace("\n");
	trace((int8_t)-2); trace("\n");
	trace((uint8_t)254); trace("\n");
	trace(-1LL); trace("\n");
	trace((uint64_t)-1); trace("\n");
	exit(0);
}
