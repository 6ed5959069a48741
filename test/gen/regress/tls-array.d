/* SPDX-License-Identifier: Apache-2.0 */
self uint64_t ar0[2];
sdt:::mm_page_alloc { --self->ar0[0]; }
