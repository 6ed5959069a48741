/* SPDX-License-Identifier: Apache-2.0 */
/* factor^(high+1) must be a signed number. load_all: rejected */
BEGIN { @ = llquantize(arg0, 2, 0, 62, 2); }
