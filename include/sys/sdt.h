/* SPDX-License-Identifier: Apache-2.0 */
/* Static probes for C and C++ programs: DTRACE_PROBE() and STAP_PROBE() cost one no-operation each
 * and leave a note in the program's file, which tracers read (dwell: PROVIDER$target:::NAME).
 *
 *     DTRACE_PROBE2(myserver, request__start, id, path);
 *
 * Arguments are integers and pointers. With _SDT_HAS_SEMAPHORES (or SDT_HAS_SEMAPHORES) defined,
 * each probe has a counter PROVIDER_NAME_semaphore of its tracers. The program defines it in
 * section ".probes", and may test it before it computes arguments. `dtrace -h` and `dtrace -G`
 * write the declarations and the definitions.
 *
 * The form of the notes is that which systemtap documents ("UserSpaceProbeImplementation"). */
#ifndef DWELL_SYS_SDT_H
#define DWELL_SYS_SDT_H

#if defined(_SDT_HAS_SEMAPHORES) || defined(STAP_HAS_SEMAPHORES) || defined(SDT_HAS_SEMAPHORES)
#define SDT_SEMAPHORE_(prov, name) #prov "_" #name "_semaphore"
#else
#define SDT_SEMAPHORE_(prov, name) "0"
#endif

#if defined(__LP64__)
#define SDT_WORD_ "8byte"
#else
#define SDT_WORD_ "4byte"
#endif

/* An argument as the assembler sees it: promoted as in a call, so that arrays are pointers. Its
 * size is negative when it is signed. */
#define SDT_VALUE_(x) ((x) + 0)
#define SDT_TYPE_(x) __typeof__(SDT_VALUE_(x))
#define SDT_SIZE_(x) ((SDT_TYPE_(x))(-1L) < (SDT_TYPE_(x))(1L) ? -(int)sizeof(SDT_TYPE_(x)) : (int)sizeof(SDT_TYPE_(x)))
#define SDT_ARG_(n) " %c[s" #n "]@%[a" #n "]"
#define SDT_OPERAND_(n, x) [s##n] "n"(SDT_SIZE_(x)), [a##n] "nor"(SDT_VALUE_(x))

/* The no-operation and its note; args describes the operands. The base tells how far the file has
 * been moved since it was linked. */
#define SDT_PROBE_(prov, name, args, ...) \
	do { \
		__asm__ __volatile__("990:\tnop\n" \
				     "\t.pushsection .note.stapsdt, \"?\", \"note\"\n" \
				     "\t.balign 4\n" \
				     "\t.4byte 992f - 991f, 994f - 993f, 3\n" \
				     "991:\t.asciz \"stapsdt\"\n" \
				     "992:\t.balign 4\n" \
				     "993:\t." SDT_WORD_ " 990b\n" \
				     "\t." SDT_WORD_ " _.stapsdt.base\n" \
				     "\t." SDT_WORD_ " " SDT_SEMAPHORE_( \
					     prov, name) "\n" \
							 "\t.asciz \"" #prov "\"\n" \
							 "\t.asciz \"" #name "\"\n" \
							 "\t.asciz \"" args "\"\n" \
							 "994:\t.balign 4\n" \
							 "\t.popsection\n" \
							 "\t.ifndef _.stapsdt.base\n" \
							 "\t.pushsection .stapsdt.base, \"aG\", \"progbits\", " \
							 ".stapsdt.base, comdat\n" \
							 "\t.weak _.stapsdt.base\n" \
							 "\t.hidden _.stapsdt.base\n" \
							 "_.stapsdt.base:\t.space 1\n" \
							 "\t.size _.stapsdt.base, 1\n" \
							 "\t.popsection\n" \
							 "\t.endif\n" ::__VA_ARGS__); \
	} while (0)

#define STAP_PROBE(prov, name) SDT_PROBE_(prov, name, "", [none] "n"(0))
#define STAP_PROBE1(prov, name, a1) SDT_PROBE_(prov, name, SDT_ARG_(1), SDT_OPERAND_(1, a1))
#define STAP_PROBE2(prov, name, a1, a2) \
	SDT_PROBE_(prov, name, SDT_ARG_(1) SDT_ARG_(2), SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2))
#define STAP_PROBE3(prov, name, a1, a2, a3) \
	SDT_PROBE_(prov, name, SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3), SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2), \
		   SDT_OPERAND_(3, a3))
#define STAP_PROBE4(prov, name, a1, a2, a3, a4) \
	SDT_PROBE_(prov, name, SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4), SDT_OPERAND_(1, a1), \
		   SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4))
#define STAP_PROBE5(prov, name, a1, a2, a3, a4, a5) \
	SDT_PROBE_(prov, name, SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4) SDT_ARG_(5), SDT_OPERAND_(1, a1), \
		   SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4), SDT_OPERAND_(5, a5))
#define STAP_PROBE6(prov, name, a1, a2, a3, a4, a5, a6) \
	SDT_PROBE_(prov, name, SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4) SDT_ARG_(5) SDT_ARG_(6), \
		   SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4), \
		   SDT_OPERAND_(5, a5), SDT_OPERAND_(6, a6))
#define STAP_PROBE7(prov, name, a1, a2, a3, a4, a5, a6, a7) \
	SDT_PROBE_(prov, name, SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4) SDT_ARG_(5) SDT_ARG_(6) SDT_ARG_(7), \
		   SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4), \
		   SDT_OPERAND_(5, a5), SDT_OPERAND_(6, a6), SDT_OPERAND_(7, a7))
#define STAP_PROBE8(prov, name, a1, a2, a3, a4, a5, a6, a7, a8) \
	SDT_PROBE_(prov, name, \
		   SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4) SDT_ARG_(5) SDT_ARG_(6) SDT_ARG_(7) SDT_ARG_(8), \
		   SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4), \
		   SDT_OPERAND_(5, a5), SDT_OPERAND_(6, a6), SDT_OPERAND_(7, a7), SDT_OPERAND_(8, a8))
#define STAP_PROBE9(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	SDT_PROBE_(prov, name, \
		   SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4) SDT_ARG_(5) SDT_ARG_(6) SDT_ARG_(7) SDT_ARG_(8) \
			   SDT_ARG_(9), \
		   SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4), \
		   SDT_OPERAND_(5, a5), SDT_OPERAND_(6, a6), SDT_OPERAND_(7, a7), SDT_OPERAND_(8, a8), \
		   SDT_OPERAND_(9, a9))
#define STAP_PROBE10(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	SDT_PROBE_(prov, name, \
		   SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4) SDT_ARG_(5) SDT_ARG_(6) SDT_ARG_(7) SDT_ARG_(8) \
			   SDT_ARG_(9) SDT_ARG_(10), \
		   SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4), \
		   SDT_OPERAND_(5, a5), SDT_OPERAND_(6, a6), SDT_OPERAND_(7, a7), SDT_OPERAND_(8, a8), \
		   SDT_OPERAND_(9, a9), SDT_OPERAND_(10, a10))
#define STAP_PROBE11(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	SDT_PROBE_(prov, name, \
		   SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4) SDT_ARG_(5) SDT_ARG_(6) SDT_ARG_(7) SDT_ARG_(8) \
			   SDT_ARG_(9) SDT_ARG_(10) SDT_ARG_(11), \
		   SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4), \
		   SDT_OPERAND_(5, a5), SDT_OPERAND_(6, a6), SDT_OPERAND_(7, a7), SDT_OPERAND_(8, a8), \
		   SDT_OPERAND_(9, a9), SDT_OPERAND_(10, a10), SDT_OPERAND_(11, a11))
#define STAP_PROBE12(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	SDT_PROBE_(prov, name, \
		   SDT_ARG_(1) SDT_ARG_(2) SDT_ARG_(3) SDT_ARG_(4) SDT_ARG_(5) SDT_ARG_(6) SDT_ARG_(7) SDT_ARG_(8) \
			   SDT_ARG_(9) SDT_ARG_(10) SDT_ARG_(11) SDT_ARG_(12), \
		   SDT_OPERAND_(1, a1), SDT_OPERAND_(2, a2), SDT_OPERAND_(3, a3), SDT_OPERAND_(4, a4), \
		   SDT_OPERAND_(5, a5), SDT_OPERAND_(6, a6), SDT_OPERAND_(7, a7), SDT_OPERAND_(8, a8), \
		   SDT_OPERAND_(9, a9), SDT_OPERAND_(10, a10), SDT_OPERAND_(11, a11), SDT_OPERAND_(12, a12))

#define DTRACE_PROBE(prov, name) STAP_PROBE(prov, name)
#define DTRACE_PROBE1(prov, name, a1) STAP_PROBE1(prov, name, a1)
#define DTRACE_PROBE2(prov, name, a1, a2) STAP_PROBE2(prov, name, a1, a2)
#define DTRACE_PROBE3(prov, name, a1, a2, a3) STAP_PROBE3(prov, name, a1, a2, a3)
#define DTRACE_PROBE4(prov, name, a1, a2, a3, a4) STAP_PROBE4(prov, name, a1, a2, a3, a4)
#define DTRACE_PROBE5(prov, name, a1, a2, a3, a4, a5) STAP_PROBE5(prov, name, a1, a2, a3, a4, a5)
#define DTRACE_PROBE6(prov, name, a1, a2, a3, a4, a5, a6) STAP_PROBE6(prov, name, a1, a2, a3, a4, a5, a6)
#define DTRACE_PROBE7(prov, name, a1, a2, a3, a4, a5, a6, a7) STAP_PROBE7(prov, name, a1, a2, a3, a4, a5, a6, a7)
#define DTRACE_PROBE8(prov, name, a1, a2, a3, a4, a5, a6, a7, a8) \
	STAP_PROBE8(prov, name, a1, a2, a3, a4, a5, a6, a7, a8)
#define DTRACE_PROBE9(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	STAP_PROBE9(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define DTRACE_PROBE10(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	STAP_PROBE10(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define DTRACE_PROBE11(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	STAP_PROBE11(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define DTRACE_PROBE12(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	STAP_PROBE12(prov, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)
#endif
