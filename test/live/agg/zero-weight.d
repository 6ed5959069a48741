/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of equal sums go by the weight of zero; increments and so weights may be negative.
 * @options: -q */
BEGIN
{
	@z["a"] = llquantize(0, 10, 0, 2, 20, 25);
	@z["b"] = llquantize(0, 10, 0, 2, 20, -25);
	@z["a"] = llquantize(2, 10, 0, 2, 20, 100);
	@z["b"] = llquantize(4, 10, 0, 2, 20, 50);
	@n["one"] = quantize(8);
	@n["less"] = quantize(8, -3);
	@n["none"] = quantize(0, 1);
	@l["less"] = lquantize(5, 0, 10, 1, -2);
	@l["more"] = lquantize(5, 0, 10, 1, 2);
	exit(0);
}
