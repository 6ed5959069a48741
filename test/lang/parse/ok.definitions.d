inline int ONE = 1;
inline string S = "a";
inline int sq[int i] = i * i;
inline foo_t *p = x ? y : z;
translator info_t < struct task_struct *t > {
	pr_pid = t->pid;
	if = 1;
	name = stringof(t->comm);
};
translator a_t < b_t x > { };
provider test {
	probe start();
	probe end(int, char *name) : (string, uint64_t);
	probe with__dash(struct foo *);
};
BEGIN { }
