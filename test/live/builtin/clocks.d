/* SPDX-License-Identifier: Apache-2.0 */
/* timestamp and walltimestamp: units, order, the same within one clause.
 * @options: -q */
BEGIN
{
	this->t = timestamp;
	start = timestamp;
	wall = walltimestamp;
	printf("%d %d\n", timestamp == this->t, this->t > 0);
}

tick-50ms
{
	this->d = timestamp - start;
	this->w = walltimestamp - wall;
	printf("%d %d\n", this->d > 10000000 && this->d < 10000000000,
	    this->w > this->d - 50000000 && this->w < this->d + 50000000);
	printf("%d\n", walltimestamp / 1000000000 > 1700000000);
	exit(0);
}
