/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the mounts of a task's mount namespace. They are a tree since Linux 6.8, a list before. Source: fs/mount.h,
 * include/linux/rbtree.h. */
#include <errno.h>
#include <inttypes.h>
#include "core/cmds.h"
#include "core/native/kerneltasks.h"

#define MAX_DEPTH 64u /* of a tree that is in balance */

struct tree {
	struct shell *s;
	uint64_t node; /* where the tree's node is in a mount */
};

static int in_tree(const struct tree *t, uint64_t at, unsigned depth)
{
	uint64_t left, right;
	int r;

	if (!at)
		return 0;
	if (depth == MAX_DEPTH)
		return err_set(&t->s->err, -EAGAIN, "the tree changed while it was read: try again");
	r = kernel_number(t->s, "rb_node", at, "rb_left", &left);
	if (r == 0)
		r = kernel_number(t->s, "rb_node", at, "rb_right", &right);
	if (r == 0)
		r = in_tree(t, left, depth + 1);
	if (r == 0)
		r = shell_address(t->s, at - t->node);
	return r < 0 ? r : in_tree(t, right, depth + 1);
}

int walk_mounts(struct shell *s, const struct dcall *d)
{
	struct tree t = { .s = s };
	uint64_t task, ns = 0, root = 0;
	int error = 0, r = kernel_subject(s, d, "::walk mount", &task);

	if (r == 0)
		r = kernel_number(s, "task_struct", task, "nsproxy", &ns);
	if (r < 0 || !ns)
		return r; /* it has ended */
	r = kernel_number(s, "nsproxy", ns, "mnt_ns", &ns);
	if (r < 0)
		return r;
	t.node = kernel_offset(s, "mount", "mnt_node", &error);
	if (error) {
		err_done(&s->err);
		return kernel_list(s, ns, "mnt_namespace", "list", "mount", "mnt_list");
	}
	r = kernel_number(s, "mnt_namespace", ns, "mounts.rb_node", &root);
	return r < 0 ? r : in_tree(&t, root, 0);
}
