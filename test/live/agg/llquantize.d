/* SPDX-License-Identifier: Apache-2.0 */
/* llquantize: factor 10, magnitudes 0 to 3, 10 steps. */
#pragma D option quiet

BEGIN { @ = llquantize(0, 10, 0, 3, 10); @ = llquantize(5, 10, 0, 3, 10); @ = llquantize(15, 10, 0, 3, 10); }
BEGIN { @ = llquantize(15, 10, 0, 3, 10, 2); @ = llquantize(999, 10, 0, 3, 10); exit(0); }
