/* SPDX-License-Identifier: Apache-2.0 */
/* Actions on processes record no data, but the firing.
 * @options: -w -x switchrate=50ms
 * @filter: ids
 * @stderr: any */
BEGIN
{
	chill(1);
}

BEGIN
{
	this->nothing = 1;
}

BEGIN
{
	exit(0);
}
