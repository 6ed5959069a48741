/* SPDX-License-Identifier: Apache-2.0 */
/* The program that made the stored recording of the reference pictures: sleeps, and stacks on and off the CPU, of three
 * programs. */
#pragma D option quiet

tracker offcpu (int) { threshold = 30ms; }

sched:::off-cpu
/execname == "web" || execname == "store" || execname == "backup"/
{
	begin(offcpu, tid);
	self->left = timestamp;
}

sched:::on-cpu
/self->left/
{
	@off_cpu_ns[timestamp / 1000000000, execname, stack(24)] = sum(timestamp - self->left);
	end(offcpu, tid);
	self->left = 0;
}

latency:offcpu::slow
{
	slow("cause", why(stack(24)), "stack", stack(24));
}

latency:offcpu::all
{
	@by_offcpu_ns[timestamp / 1000000000, args[0]->comm] = quantize(args[0]->delay);
}

profile-199hz
/execname == "web" || execname == "store" || execname == "backup"/
{
	@on_cpu[timestamp / 1000000000, execname, ustack(12), stack(24)] = count();
}

tick-12s
{
	printf("twelve seconds\n");
	exit(0);
}
