BEGIN {
	a.b.c->d[1][2].e;
	f(); f(1); f(a, b = c, (d, e));
	f(a)[1]->x;
	x[1, "a", pid];
	self->a; this->b; self->a[1, 2]->b; this->p->self->this;
	a->int; a.sizeof;
	a ->	b;
	@; @_; @a; @a[1, "x"]; @[pid];
	`jiffies; ext4`sym; vmlinux`a`b;
	"s"[0];
	a.$3;
}
