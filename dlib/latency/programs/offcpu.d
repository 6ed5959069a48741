/* SPDX-License-Identifier: Apache-2.0 */
/* programs/offcpu.d: adds the user stack to slow waits for a futex. Runs with offcpu.d for --programs 1. The functions
 * of the program tell a lock from a wait for work. They need tables and names of all files of a process, for which a
 * daemon has no memory. */
/* The stack of an idle worker is short. */
inline int FUTEX_FRAMES = 24;

latency:offcpu::slow
/!(args[0]->how & HOW_NOT_ENDED) && args[0]->tid == tid && futex_call/
{
	this->stopped = stopped[tid] >= args[0]->start;
	this->signal = this->stopped ? stop_signal[tid] : 0;
	slow("cause", why(stack()), "condition", futex_condition, "timed_out", timed_out[tid] >= args[0]->start,
	    "stack", stack(), "waker_tid", waker[tid], "waker_comm", waker_name[tid],
	    "stopper_tid", this->stopped ? stopper[tid] : 0, "stopper_comm", this->stopped ? stopper_name[tid] : "",
	    "signal", this->signal ? signal_name[this->signal] : "", "iowait", args[1]->in_iowait,
	    "reclaiming", (args[1]->flags & (PF_MEMALLOC | PF_KSWAPD)) == PF_MEMALLOC, "ustack", jstack(FUTEX_FRAMES));
	waker[tid] = 0;
	waker_name[tid] = 0;
}
