/* SPDX-License-Identifier: Apache-2.0 */
/* Reading next to and writing outside of the memory that the clause has from alloca() and copyin(), and copying more than there is.
 * @options: -q
 * @filter: id pc addr */
int n;

BEGIN { this->s = (char *)alloca(16); this->s[15] = 1; printf("%d\n", this->s[15]); }
BEGIN { this->s = (char *)alloca(16); this->s[16] = 1; }
BEGIN { this->i = (int *)alloca(16); this->i[-1] = 1; }
BEGIN { this->i = (int *)alloca(16); *(int *)((char *)this->i + 13) = 1; }
BEGIN { *this->s = 1; }
BEGIN { this->s = (char *)alloca(8); bcopy("0", this->s + 8, 1); }
BEGIN { n = 9; this->s = (char *)alloca(8); bcopy(curthread->comm, this->s, n); }
BEGIN { n = 8; this->s = (char *)alloca(8); bcopy("1234567", this->s, n); printf("%s\n", stringof(this->s)); }
BEGIN { this->d = alloca(24); this->s = (char *)alloca(8); bcopy(this->s, this->d, 20); }
BEGIN { n = 1000000; bcopy(curthread, alloca(8), n); }
BEGIN { copyinto(0, 9, alloca(8)); }
BEGIN { this->t = (char *)alloca(8); n = 1; bcopy("abcdefgh", this->t + n++, n++ + 1); printf("%s %d\n", stringof(this->t + 1), n); }
BEGIN { this->s = (char *)alloca(16); trace(this->s[64]); }
BEGIN { this->s = (char *)alloca(16); n = -1; trace(this->s[n]); }
BEGIN { this->i = (int *)alloca(16); trace(*(this->i - 1)); }
BEGIN { this->s = (char *)alloca(16); this->s[15] = 3; printf("%d %c\n", this->s[15], ((char *)strjoin("a", "b"))[1]); }
BEGIN { exit(0); }
