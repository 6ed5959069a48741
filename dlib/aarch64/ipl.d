/* SPDX-License-Identifier: Apache-2.0 */
/* ipl on arm64, from the thread's count of what may not be preempted. */
inline uint_t preempt_bits = curthread->thread_info.preempt.count;

/* Where the levels are in it: some room was made before hardware interrupts after 7.0. */
inline int hardirq_bit = (uintptr_t)&`local_interrupt_disable_state != 0 ? 24 : 16;
inline int hardirq_bit = 16;

/* Interrupts nest in three levels on Linux: 0 is a thread, 1 a soft interrupt, 2 a hardware interrupt, 3 one that
 * cannot be masked. Source: include/linux/preempt.h. */
inline uint_t ipl = preempt_bits & (0x70 << hardirq_bit) ? 3 : preempt_bits & (0x0f << hardirq_bit) ? 2 :
	preempt_bits & 0x100 ? 1 : 0;
#pragma D attributes Stable/Stable/Common ipl
