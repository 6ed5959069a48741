/* SPDX-License-Identifier: Apache-2.0 */
/* lquantize: below, inside, above; step 1 by default. */
#pragma D option quiet

BEGIN { @l = lquantize(-5, 0, 30, 10); @l = lquantize(0, 0, 30, 10); @l = lquantize(9, 0, 30, 10); }
BEGIN { @l = lquantize(25, 0, 30, 10); @l = lquantize(30, 0, 30, 10); @o = lquantize(2, 1, 4); exit(0); }
