/* SPDX-License-Identifier: Apache-2.0 */
/* quantize: all kinds of values, negative ones, weights. */
#pragma D option quiet

BEGIN { @q = quantize(0); @q = quantize(1); @q = quantize(2); @q = quantize(3); @q = quantize(1000); }
BEGIN { @q = quantize(1024); @q = quantize(1024); @n = quantize(-1); @n = quantize(-1000); @n = quantize(5); }
BEGIN { @w = quantize(10, 3); @w = quantize(100, 1); exit(0); }
