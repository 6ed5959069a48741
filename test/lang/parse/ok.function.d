int f(int a, string s) { if (a) return 1; return strlen(s); }
void g(void) { return; }
pid_t h(pid_t *p) { return *p }
uint64_t i(uint64_t n) { for (;;) { n++; break; } return n; }
int proto(int);
struct task_struct *t() { return 0; };
BEGIN { f(1, "x"); }
