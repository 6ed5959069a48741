/* SPDX-License-Identifier: Apache-2.0 */
/* All commands and walkers of the debugger, and the commands that tell of them. */
#include <errno.h>
#include <string.h>
#include "core/cmds.h"

const struct dcmd dcmds[] = {
	{ "array", "TYPE COUNT", true, "go through the elements of an array",
	  "Lists the addresses of COUNT things of a type that follow each other.\n"
	  "In front of a |: these addresses.\n",
	  "::walk task | ::array struct list_head 1 ! head -3", dcmd_array, NULL, NULL },
	{ "dcmds", "", false, "list the commands", "Lists all commands with a line about each.\n", "::dcmds",
	  dcmd_dcmds, NULL, NULL },
	{ "dis", "[-n COUNT]", true, "disassemble code",
	  "Shows the instructions of the function that ADDRESS is in; -n: COUNT of them from ADDRESS on, also where no\n"
	  "function is known. They are those in memory, as objdump -M intel writes them; <> has where calls and jumps go.\n"
	  "In front of a |: the addresses of the instructions. It needs the library libZydis (Debian: libzydis4.0).\n",
	  "::nm mai | ::dis -n 4", dcmd_dis, NULL, NULL },
	{ "findfunctions", "[-c NAME]", false, "find functions of JavaScript by name",
	  "As ::jsfunctions, by the name that mdb has for it.\n", "::findfunctions -c emit", dcmd_jsfunctions, NULL,
	  NULL },
	{ "findjsobjects", "[-r] [-c CONSTRUCTOR] [-p PROPERTY] [-n COUNT] [-s CORE]", false,
	  "find objects of JavaScript, or what refers to one",
	  "Counts the objects by constructor and names of properties, most bytes first. A row has one of the objects, their\n"
	  "number, and their bytes with the stores of properties and elements. -c, -p: only those of that constructor, with\n"
	  "that property. ADDRESS::findjsobjects: all objects that are like the one at ADDRESS. ADDRESS::findjsobjects -r:\n"
	  "the objects that refer to it. -n: the most rows of both. -s: how many came or went since an older core of the\n"
	  "process, largest growth first.\n"
	  "In front of a |: one object of each row; with -c, -p or ADDRESS all of them.\n"
	  "All words outside of V8's heap count as roots, so an object that died lately may be among them.\n",
	  "::findjsobjects -c Map ! head -3", dcmd_findjsobjects, NULL, NULL },
	{ "heapsnapshot", "FILE", false, "write JavaScript's objects for Chromium's DevTools",
	  "Writes what is alive as a heap snapshot, a new file: DevTools (Memory, Load), and other readers of .heapsnapshot,\n"
	  "open it. Its objects, sizes and dominators are those of ::findjsobjects and ::jsretained.\n",
	  "::heapsnapshot app.heapsnapshot", dcmd_heapsnapshot, NULL, NULL },
	{ "help", "[COMMAND]", false, "tell how lines are written, or about a command",
	  "Without a word: how addresses, commands and pipelines are written. With one: that command.\n",
	  "::help stack", dcmd_help, NULL, NULL },
	{ "jsarray", "[-i INDEX] [-n COUNT]", true, "print the elements of an array",
	  "Prints each element with its index. -i: from that index on. -n: how many.\n"
	  "In front of a |: the elements that are objects.\n",
	  "::findjsobjects -c Array | ::jsarray -n 2 ! head -4", dcmd_jsarray, NULL, NULL },
	{ "jsclosure", "", true, "print the variables of a closure",
	  "ADDRESS is a function. Prints the variables that it has of the functions around it, the inner ones first; those\n"
	  "that it does not use may be missing, since V8 does not keep them. In front of a |: those that are objects.\n",
	  "::findfunctions -c emit | ::jsclosure", dcmd_jsclosure, NULL, NULL },
	{ "jsconstructor", "", true, "show the function that an object was made by",
	  "Shows the constructor, and where its source is. In front of a |: its address.\n",
	  "::findjsobjects -c Map | ::jsconstructor ! head -2", dcmd_jsconstructor, NULL, NULL },
	{ "jsdominators", "", true, "show what keeps an object alive, alone",
	  "Shows what would have to go so that the object goes: its dominator, the dominator of that one, and so on up\n"
	  "to the roots. Columns as of ::jsretained.\n",
	  "::findjsobjects -c Map | ::jsdominators ! head -4", dcmd_jsdominators, NULL, NULL },
	{ "jsfolded", "", false, "write what keeps memory as folded stacks",
	  "Writes a line for each chain of dominators (::jsdominators), by constructor, with the bytes that the objects at\n"
	  "its end have themselves: NAME;NAME;NAME BYTES. dwell flame draws it, or the differences of two of them:\n"
	  "    ::jsfolded ! dwell flame --svg --weights bytes -o memory.svg -\n"
	  "Equal names that follow each other are one. What only V8 sees counts for what keeps it.\n",
	  "::jsfolded ! head -3", dcmd_jsfolded, NULL, NULL },
	{ "jsframe", "[-d DEPTH]", true, "print a frame of JavaScript with its receiver and arguments",
	  "ADDRESS is a frame pointer, as ::jsstack gives them. Prints the function, this, and the arguments that the\n"
	  "caller gave; -d as of ::jsprint (0). Optimised code may have changed them meanwhile.\n",
	  "::jsstack -j | ::jsframe", dcmd_jsframe, NULL, NULL },
	{ "jsfunctions", "[-c NAME]", false, "list the functions of JavaScript",
	  "Lists the functions: one of its closures, how many, name and place. -c: those of that name.\n"
	  "In front of a |: the address of a closure of each.\n",
	  "::jsfunctions -c emit", dcmd_jsfunctions, NULL, NULL },
	{ "jspath", "", true, "show the way from a root to an object",
	  "Shows what leads to the object: the shortest way from a global variable, else from another root, which is\n"
	  "told then. First the way as a program would write it, then the objects that it leads over.\n"
	  ":name is a variable of closures, <value>[N] what entry N of a Map has, <V8> a step that programs do not see.\n"
	  "In front of a |: these objects.\n",
	  "::findjsobjects -c Map | ::jspath ! head -5", dcmd_jspath, NULL, NULL },
	{ "jsprint", "[-ah] [-d DEPTH] [-n COUNT] [-s CHARS]", true, "print an object of JavaScript",
	  "Prints an object as the program would write it, with those in it.\n"
	  "-d: objects within each other (2). -n: most elements, properties, entries that are shown of each (0t100).\n"
	  "-s: most characters that are shown of a string (0t1000). -h: properties that are not enumerable, too.\n"
	  "-a: with addresses. Numbers are hexadecimal, or decimal after 0t.\n",
	  "::findjsobjects -c Map | ::jsprint -d 0 ! head -5", dcmd_jsprint, complete_jsprint, NULL },
	{ "jsproperties", "[-n COUNT]", true, "list the properties of an object with their addresses",
	  "Lists the properties of an object, a line each: name, value, its address. Of a Map or Set its entries first:\n"
	  "<key>[N], <value>[N]. -n: the most rows (0t1000). In front of a |: the values that are objects.\n",
	  "::findjsobjects -c Map | ::jsproperties -n 3 ! head -5", dcmd_jsproperties, NULL, NULL },
	{ "jsretained", "[-n COUNT] [-s CORE]", false, "show what keeps most memory",
	  "Shows the objects that keep most: RETAINED are the bytes that would be free if the object went, BYTES those of\n"
	  "itself. ADDRESS::jsretained: that object, then the largest of those that it alone keeps (it dominates them).\n"
	  "-n: how many (0t20). Memory of ArrayBuffers counts; that of other native objects does not.\n"
	  "-s: what keeps more than in an older core of the process: objects that are kept in the same way together,\n"
	  "with the way to one of them.\n",
	  "::jsretained -n 5", dcmd_jsretained, NULL, NULL },
	{ "jsroots", "", true, "show what outside of V8's heap refers to an object",
	  "Shows the words outside of V8's heap that lead to the object itself: on stacks, in variables of the program,\n"
	  "in memory of malloc(). What malloc() has back does not count.\n",
	  "::findjsobjects -c Map | ::jsroots ! head -3", dcmd_jsroots, NULL, NULL },
	{ "jssource", "[-n LINES]", true, "print the source of a function",
	  "ADDRESS is a function. Prints its source from the line where it begins, 0t20 lines of it.\n",
	  "::findfunctions -c processImmediate | ::jssource -n 3", dcmd_jssource, NULL, NULL },
	{ "jsstack", "[-j] [-v] [-n FRAMES]", false, "show a thread's stack with JavaScript's functions",
	  "Shows the frames of a thread, innermost first: frame pointer, function, file, line, column; native ones\n"
	  "between them. NUMBER::jsstack takes that thread, else it is the first one. -j: JavaScript's alone.\n"
	  "-v: with receiver, arguments and the source around each line. -n: the most frames (0t100 000).\n"
	  "async: who awaits the frame before, and who awaits that one, where each waits. throws: the exception, if the\n"
	  "thread is about to throw one.\n"
	  "In front of a |: the frame pointers of JavaScript's frames, for ::jsframe.\n",
	  "::walk thread | ::jsstack -j", dcmd_jsstack, NULL, NULL },
	{ "jsstrings", "[-n COUNT]", false, "show texts that are there several times",
	  "Shows texts of which there are several strings, those that waste most first: one of the strings, how many, bytes\n"
	  "of all of them, and of all but one. Strings that are made of others do not count. -n: how many rows (0t20).\n"
	  "In front of a |: one string of each row, for ::findjsobjects -r.\n",
	  "::jsstrings -n 3", dcmd_jsstrings, NULL, NULL },
	{ "jstack", "[-j] [-n FRAMES]", false, "show a thread's stack with Java's methods",
	  "Shows the frames of a thread of a JVM, innermost first: Java's as class.method at file:line, with what made\n"
	  "the code (interpreted, C1, C2, native, stub), methods that were inlined before the one that they are in; native\n"
	  "frames between them. -j: without these. -n: the most frames. NUMBER::jstack takes that thread, else it is the\n"
	  "first one. JDK 11 and later. In front of a |: the stack pointers.\n",
	  "::walk thread | ::jstack -j -n 5", dcmd_jstack, NULL, NULL },
	{ "list", "TYPE MEMBER", true, "go through a linked list",
	  "Lists the addresses of things of a type, from ADDRESS on: each one's MEMBER points to the next. A member of a\n"
	  "struct list_head, or of another struct that points to its own kind, is followed to the struct around it. Ends at\n"
	  "a null pointer, and where it began; a list's head between them comes out as if it were such a thing.\n"
	  "In front of a |: these addresses.\n",
	  "::walk task | ::list struct task_struct tasks ! head -3", dcmd_list, NULL, NULL },
	{ "mappings", "", false, "list what is mapped in memory",
	  "Lists the parts of memory by address: size, rights, how much of each the core has, and the file.\n"
	  "A file is used for what the core does not have when its build id is the one in memory.\n"
	  "In front of a |: the addresses of the parts. ADDRESS::mappings shows the part that has it.\n",
	  "::mappings", dcmd_mappings, NULL, NULL },
	{ "nm", "[PREFIX]", false, "list the functions and variables of the files",
	  "Lists address, size, file and name of what the symbol tables have; PREFIX: of those whose name begins so.\n"
	  "In front of a |: the addresses.\n",
	  "::nm main", dcmd_nm, NULL, NULL },
	{ "nodebuffer", "[-n BYTES]", true, "print the bytes of a Buffer",
	  "ADDRESS is a Buffer, or another typed array. Prints its bytes with their addresses, 0t256 of them, or as many as\n"
	  "-n says. In front of a |: the address of the bytes.\n",
	  "::findjsobjects -p async_hook_fields | ::jsprint async_hook_fields | ::nodebuffer -n 0t16", dcmd_nodebuffer,
	  NULL, NULL },
	{ "offsetof", "TYPE MEMBER", false, "tell where a member of a struct is",
	  "Tells the offset and the size of a member, which may be a path, as a.b[2].c.\n",
	  "::offsetof struct task_struct se.vruntime", dcmd_offsetof, NULL, NULL },
	{ "print", "[-a] [-d DEPTH] [-n COUNT] [TYPE] [MEMBER]...", true, "print a struct or value of native code",
	  "Prints what is at ADDRESS as a thing of a type, or some members of it. A member may be a path: a.b[2].c,\n"
	  "next->prev; pointers are followed by . and by ->. TYPE is NAME or struct, union, enum NAME, after FILE` if it must be\n"
	  "of that file; * after it makes it a pointer. Where ADDRESS is the name of a variable, its type need not be given;\n"
	  "members begin with a dot then. Types come from the debug information (DWARF) of the program and its libraries.\n"
	  "-a: with addresses. -d: structs within each other (0t8). -n: elements of each array (0t32).\n"
	  "In front of a |: the value of a pointer or a number, else the address.\n",
	  "::walk task | ::print struct task_struct comm pid ! head -4", dcmd_print, NULL, NULL },
	{ "ps", "", false, "list the kernel's processes",
	  "Lists the processes of the running kernel (dwell core -k): state as of ps(1), process, parent, user, CPU, and the\n"
	  "address of the struct task_struct. Names of the kernel's own threads are in brackets. ADDRESS::ps: that one.\n"
	  "In front of a |: these addresses.\n",
	  "::ps ! head -3", dcmd_ps, NULL, NULL },
	{ "pystack", "[-l] [-n FRAMES]", false, "show a thread's stack of Python",
	  "Shows the Python frames of a thread, innermost first: the frame's address, function, file, line. It works on\n"
	  "CPython 3.11 to 3.13. NUMBER::pystack takes that thread, else it is the first one. -l: with the variables of\n"
	  "each frame; other objects than numbers, texts, lists and tuples are told by their type. -n: the most frames.\n"
	  "In front of a |: the addresses of the frames.\n",
	  "::walk thread | ::pystack -l", dcmd_pystack, NULL, NULL },
	{ "sizeof", "TYPE", false, "tell how large a type is", "Tells the size of a type in bytes.\n",
	  "::sizeof struct task_struct", dcmd_sizeof, NULL, NULL },
	{ "stack", "[-n FRAMES]", false, "show a thread's native stack",
	  "Shows the frames of a thread, innermost first: stack pointer, file`function+offset.\n"
	  "NUMBER::stack takes the thread of that number (of a hexadecimal one; 0t before a decimal one); else it is\n"
	  "the one that died, or the first one. -n: the most frames (100).\n"
	  "In front of a |: the addresses of the code.\n",
	  "::walk thread | ::stack", dcmd_stack, NULL, NULL },
	{ "stacks", "[-c FUNCTION] [-m MODULE] [-t STATE]", false, "group the kernel's threads by stack",
	  "Shows the kernel stacks of all threads (dwell core -k), those of most threads first: a struct task_struct, the\n"
	  "state as of ps(1), how many threads, and the frames. ADDRESS::stacks: the threads of that process.\n"
	  "-c: stacks with that function. -m: with a function of that module. -t: threads of that state.\n"
	  "In front of a |: the task_struct of a thread of each.\n",
	  "::stacks ! head -8", dcmd_stacks, NULL, NULL },
	{ "status", "", false, "tell what is looked at",
	  "Tells of which process the memory is, what it died of, how much of it there is, what is missing.\n",
	  "::status", dcmd_status, NULL, NULL },
	{ "threads", "", false, "list the threads",
	  "Lists the threads with the function that each is in. In front of a |: their numbers.\n"
	  "Of the kernel: all threads with their struct task_struct, or those of the process at ADDRESS.\n",
	  "::threads", dcmd_threads, NULL, NULL },
	{ "typedef", "[-d] [TYPE] [NAME]", false, "give a type another name",
	  "Gives a type, as ::print takes them, a further name, which all commands on types take until the end.\n"
	  "Without words: those names. -d NAME: forget one. The tabulator completes them.\n",
	  "::typedef struct task_struct task_t", dcmd_typedef, NULL, NULL },
	{ "walk", "NAME", false, "go through all things of a kind",
	  "Gives the address of each thing, for the next command. ::walkers lists the kinds.\n", "::walk mapping",
	  dcmd_walk, NULL, NULL },
	{ "walkers", "", false, "list what ::walk can go through", "Lists the names that ::walk takes.\n", "::walkers",
	  dcmd_walkers, NULL, NULL },
	{ "whatis", "", true, "tell what is at an address",
	  "Tells what an address is: the part of memory, the function or variable, the stack it lies in.\n",
	  "::walk mapping | ::whatis", dcmd_whatis, NULL, NULL },
	{ 0 },
};

const struct walker walkers[] = {
	{ "cgroup", "the kernel's cgroups of version 2, parents first", true, walk_cgroups, NULL },
	{ "file", "the kernel's open files of the task at ADDRESS: struct file", true, walk_files, NULL },
	{ "mapping", "the parts of memory, by address", false, walk_mappings, NULL },
	{ "module", "the kernel's modules: struct module", true, walk_modules, NULL },
	{ "mount", "the kernel's mounts in the namespace of the task at ADDRESS: struct mount", true, walk_mounts,
	  NULL },
	{ "socket", "the kernel's sockets of the task at ADDRESS: struct socket", true, walk_sockets, NULL },
	{ "task", "the kernel's processes: struct task_struct", true, walk_tasks, NULL },
	{ "thread", "the threads, by number; of the kernel: struct task_struct", false, walk_threads, NULL },
	{ "vma", "the kernel's memory areas of the task at ADDRESS: struct vm_area_struct", true, walk_vmas, NULL },
	{ 0 },
};

int dcmd_dcmds(struct shell *s, const struct dcall *d)
{
	const struct dcmd *c;

	if (d->argc)
		return shell_refuse(s, "dcmds", d->argv[0]);
	for (size_t i = 0; (c = shell_dcmd_at(s, i)); i++) {
		if (s->json) {
			struct jsonw w = jsonw_to(&s->text);

			jsonw_object(&w, NULL);
			jsonw_str(&w, "command", c->name);
			jsonw_str(&w, "arguments", c->args);
			jsonw_str(&w, "summary", c->summary);
			jsonw_end_object(&w);
			jsonw_line(&w);
		} else {
			shell_print(s, "::%-16s %s\n", c->name, c->summary);
		}
	}
	return 0;
}

int dcmd_walkers(struct shell *s, const struct dcall *d)
{
	const struct walker *w;

	if (d->argc)
		return shell_refuse(s, "walkers", d->argv[0]);
	for (size_t i = 0; (w = shell_walker_at(s, i)); i++)
		if (!w->kernel || s->core->kernel)
			shell_print(s, "%-18s %s\n", w->name, w->summary);
	return 0;
}

int dcmd_help(struct shell *s, const struct dcall *d)
{
	const struct dcmd *c;

	if (d->argc > 1)
		return shell_refuse(s, "help", d->argv[1]);
	if (!d->argc) {
		shell_print(
			s,
			"A line is a command, perhaps on an address, perhaps with further commands after it:\n\n"
			"    ::status\n"
			"    7ffd3a5c2e10::whatis\n"
			"    ::walk thread | ::stack -n 5 ! grep epoll\n\n"
			"Addresses and numbers of threads are hexadecimal; 0t stands before a decimal number.\n"
			"| runs the next command on each address that the one before gives.\n"
			"! gives the text to a program of the system's shell.\n"
			"::dcmds lists the commands, ::help NAME tells about one. $q or the end of the input leaves.\n");
		return 0;
	}
	c = shell_dcmd(s, d->argv[0] + (strncmp(d->argv[0], "::", 2) == 0 ? 2 : 0));
	if (!c)
		return err_set(&s->err, -EINVAL, "there is no command ::%s (::dcmds lists them)", d->argv[0]);
	shell_print(s, "%s::%s%s%s - %s\n\n%s", c->addr ? "ADDRESS" : "", c->name, *c->args ? " " : "", c->args,
		    c->summary, c->help);
	if (c->example)
		shell_print(s, "\nExample: %s\n", c->example);
	return 0;
}

int dcmd_walk(struct shell *s, const struct dcall *d)
{
	struct dcall call = *d;

	if (!d->argc)
		return err_set(&s->err, -EINVAL, "::walk wants a name (::walkers lists them)");
	if (d->argc > 1)
		return shell_refuse(s, "walk", d->argv[1]);
	call.walker = shell_walker(s, d->argv[0]);
	if (call.walker)
		return call.walker->run(s, &call);
	return err_set(&s->err, -EINVAL, "nothing is called %s (::walkers lists what can be walked)", d->argv[0]);
}
