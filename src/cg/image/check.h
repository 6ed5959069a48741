/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the checks of an image: check.c (maps, formats) calls prog_check.c (instructions). */
#ifndef DWELL_CG_IMAGE_CHECK_H
#define DWELL_CG_IMAGE_CHECK_H
#include "base/err.h"
#include "cg/image.h"

/* One program: 0 or -EBADMSG. */
int prog_check(const struct image *img, const struct img_prog *p, struct err *err);
#endif
