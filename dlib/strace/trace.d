/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.d: system calls with what they point to, for `dwell strace`. After follow.d.
 *
 * src/strace/program.c writes what belongs to the machine (the inlines STRACE_*, in front of this) and to the calls
 * that are wanted: the functions strace_at_entry() and strace_at_return() (what is to be captured, by number),
 * strace_fds() and strace_gives_fd().
 *
 * A record's first number tells what it is: enum event_record of src/strace/event.h. A call that points to something is
 * several records, of one firing and one CPU: RETURN, PIECEs, DONE. A piece that cannot be read ends it by a fault.
 * Memory that a program gives to a call is read when the call returns, since its pages are in memory by then. Memory
 * that the call changes, or that is gone by then, is read when the call begins.
 */
#pragma D option quiet
#pragma D option scratchsize=4096
#pragma D option strsize=4096
#pragma D param size int "bytes of data that are kept; what is more is cut" 32
#pragma D param times int "1: with the time at which calls begin" 0
#pragma D param paths int "1: with the paths of file descriptors" 0
#pragma D param nested int "1: with what pointers in memory point to" 0
#pragma D param stacks int "1: with the stack of the program" 0

self uint64_t strace_since;

struct strace_iov {
	uint64_t base, len;
};
struct strace_msg {
	uint64_t name, namelen, iov, iovlen, control, controllen, flags;
};
uint64_t strace_arg(uint64_t i)
{
	return i == 0 ? this->a0 :
	    i == 1 ? this->a1 : i == 2 ? this->a2 : i == 3 ? this->a3 : i == 4 ? this->a4 : this->a5;
}

uint64_t strace_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void strace_piece(uint64_t tag, uint64_t a, uint64_t n)
{
	if (n == 0 || a == 0) {
		trace(2); trace((int)tag); trace(0);
	} else if (n <= 48) {
		trace(2); trace((int)tag); trace((int)n); tracemem(copyin(a, n), 48);
	} else if (n <= 400) {
		trace(2); trace((int)tag); trace((int)n); tracemem(copyin(a, n), 400);
	} else {
		n = strace_least(n, 4000);
		trace(2); trace((int)tag); trace((int)n); tracemem(copyin(a, n), 4000);
	}
}

void strace_text(uint64_t tag, uint64_t a)
{
	string s = copyinstr(a, 4096);
	int n = strlen(s);

	if (n < 48) {
		trace(3); trace((int)tag); trace(n); tracemem((char *)s, 48);
	} else if (n < 256) {
		trace(3); trace((int)tag); trace(n); tracemem((char *)s, 256);
	} else {
		trace(3); trace((int)tag); trace(n); tracemem((char *)s, 4096);
	}
}

/* Pointers up to a NULL, 128 at most. */
uint64_t strace_count(uint64_t a)
{
	uint64_t n = 0;

	while (n < 128 && *(uint64_t *)copyin(a + 8 * n, 8))
		n++;
	return n;
}

/* The number of directory entries in a buffer of `bytes`, 300 at most. An entry begins with its inode and offset (16
 * bytes), then its length. Source: getdents64(2). */
uint64_t strace_entries(uint64_t a, int64_t bytes)
{
	int64_t off = 0;
	uint64_t n = 0;

	while (n < 300 && off < bytes) {
		off = off + *(uint16_t *)copyin(a + off + 16, 2);
		n++;
	}
	return n;
}

/* The captures that this->d asks for: 16 bits for each argument, see call_capture() in src/strace/call.c. */
void strace_captures()
{
	uint64_t state = 0;	      /* 0: the next argument; 1: elements of iovec; 2: of argv; 3 to 5: of msghdr */
	uint64_t vec = 0, left = 0;   /* where the elements are, how many are left */
	uint64_t room = 0, tag = 0;
	uint64_t iov = 0, niov = 0, control = 0, ncontrol = 0;

	for (int i = 0; i < ($nested ? 100 : 5); i++) {
		uint64_t a = 0, n = 0, text = 0;

		if ($nested && state == 1) {
			struct strace_iov *v = (struct strace_iov *)copyin(vec, 16);
			a = v->base;
			n = strace_least(v->len, room);
			room = room - n;
			n = strace_least(n, $size + 1);
			vec = vec + 16;
			left--;
			tag = tag + 8;
			state = left ? 1 : ncontrol ? 5 : 0;
		} else if ($nested && state == 2) {
			a = *(uint64_t *)copyin(vec, 8);
			text = a != 0;
			vec = vec + 8;
			left--;
			tag = tag + 8;
			state = left && a ? 2 : 0;
			if (!a)
				continue;
		} else if ($nested && state == 3) {
			a = iov;
			n = niov * 16;
			vec = a;
			left = niov;
			tag = (tag & 7) | 42 << 3;
			state = left ? 4 : ncontrol ? 5 : 0;
		} else if ($nested && state == 5) {
			a = control;
			n = strace_least(ncontrol, 400);
			ncontrol = 0;
			tag = (tag & 7) | 41 << 3;
			state = 0;
		} else {
			if (this->d == 0)
				break;
			uint64_t k = (this->d >> 3) & 15, z = (this->d >> 7) & 511;
			uint64_t other = strace_arg(z & 7);

			tag = this->d & 7;
			a = strace_arg(tag);
			this->d = this->d >> 16;
			if (k == 1)
				text = a != 0;
			else if (k == 2)
				n = z;
			else if (k == 3)
				n = this->r >= 0 ? z : 0;
			else if (k == 4)
				n = strace_least(other, $size + 1);
			else if (k == 5)
				n = this->r > 0 ? strace_least(this->r, $size + 1) : 0;
			else if (k == 6)
				n = strace_least(other & 0xffffffff, 4000) * (z >> 3);
			else if (k == 7)
				n = this->r > 0 ? this->r * (z >> 3) : 0;
			else if ($nested && (k == 8 || k == 9)) {
				left = strace_least(other, 16);
				n = left * 16;
				vec = a;
				room = k == 8 ? 0x7fffffff : this->r > 0 ? this->r : 0;
				state = left && a ? 1 : 0;
			} else if ($nested && (k == 10 || k == 11) && a) {
				struct strace_msg *m = (struct strace_msg *)copyin(a, 56);

				n = 56;
				iov = m->iov;
				niov = strace_least(m->iovlen, 16);
				control = m->control;
				ncontrol = control && (k == 10 || this->r >= 0) ? m->controllen : 0;
				room = k == 10 ? 0x7fffffff : this->r > 0 ? this->r : 0;
				vec = m->name;
				left = k == 10 || this->r >= 0 ? strace_least(m->namelen & 0xffffffff, 128) : 0;
				state = 6;
			} else if ($nested && k == 12 && a) {
				vec = a;
				left = 33;
				state = 2;
			} else if (k == 13 && a && other && this->r >= 0)
				n = strace_least(*(int *)copyin(other, 4), 128);
			else if ($nested && k == 14 && a) {
				trace(4); trace((int)tag); trace((int)strace_count(a));
				continue;
			} else if ($nested && k == 15 && this->r >= 0) {
				trace(4); trace((int)tag); trace((int)strace_entries(a, this->r));
				continue;
			}
		}
		if (text)
			strace_text(tag, a);
		else
			strace_piece(tag, a, n);
		if ($nested && state == 6) { /* the name of a msghdr */
			state = 3;
			if (vec && left)
				strace_piece((tag & 7) | 40 << 3, vec, left);
		} else if ($nested && state == 4) {
			state = 1;
			tag = tag & 7;
		}
	}
}

/* The path of a descriptor, of the working directory for AT_FDCWD; tag 6: of the one that the call returned. */
void strace_path(uint64_t tag, int fd)
{
	if (fd == -100) {
		trace(6); trace((int)tag); trace(cwd);
	} else if (fd >= 0 && fd_file[fd] != NULL) {
		trace(6); trace((int)tag); trace(d_path(&fd_file[fd]->f_path));
	}
}

void strace_paths(uint64_t fds)
{
	for (uint64_t i = 0; i < 6; i++)
		if (fds >> i & 1)
			strace_path(i, (int)strace_arg(i));
}

sdt:::sys_enter
/strace_on[curthread] && !STRACE_IS32/
{
	this->nr = (uint64_t)args[1];
	this->a0 = this->nr == STRACE_SIGRETURN ? strace_frame[args[0]] : strace_reg0[args[0]];
	this->a1 = strace_reg1[args[0]];
	this->a2 = strace_reg2[args[0]];
	this->a3 = strace_reg3[args[0]];
	this->a4 = strace_reg4[args[0]];
	this->a5 = strace_reg5[args[0]];
	this->r = (int64_t)0;
	if ($times)
		self->strace_since = timestamp;
	this->d = strace_at_entry(this->nr);
	if (this->d != STRACE_NONE) {
		trace(5); trace((int)tid); trace((int)this->nr);
		trace(this->a0); trace(this->a1); trace(this->a2); trace(this->a3); trace(this->a4); trace(this->a5);
		if ($paths)
			strace_paths(strace_fds(this->nr));
		strace_captures();
		trace(1); trace((int)tid);
	}
}

sdt:::sys_exit
/strace_on[curthread]/
{
	this->nr = (uint64_t)strace_nr[args[0]];
	this->a0 = strace_reg0[args[0]];
	this->a1 = strace_reg1[args[0]];
	this->a2 = strace_reg2[args[0]];
	this->a3 = strace_reg3[args[0]];
	this->a4 = strace_reg4[args[0]];
	this->a5 = strace_reg5[args[0]];
	this->r = (int64_t)args[1];
	if (STRACE_IS32) {
		trace(9); trace((int)tid);
	} else {
		this->d = strace_at_return(this->nr);
		if (this->d != STRACE_NONE) {
			this->more = this->d != 0 || $paths || $stacks; /* captures use this->d up */
			trace(0); trace((int)tid); trace((int)this->nr); trace(this->more);
			trace(this->r); trace(self->strace_since);
			trace(this->a0); trace(this->a1); trace(this->a2); trace(this->a3); trace(this->a4);
			trace(this->a5);
			if ($stacks)
				ustack();
			if ($paths && this->r >= 0 && strace_gives_fd(this->nr))
				strace_path(6, this->r);
			if (this->d != 0)
				strace_captures();
			if (this->more) {
				trace(1); trace((int)tid);
			}
		}
	}
}
