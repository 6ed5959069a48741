" SPDX-License-Identifier: Apache-2.0
" D, the language of dwell and DTrace. Made by tools/grammar.py from the tables of the compiler.
if exists("b:current_syntax")
	finish
endif
syn case match
syn keyword dtraceKeyword auto break case continue counter default do else extern for goto if import inline offsetof probe provider register return self sizeof static stringof switch this translator typedef while xlate
syn keyword dtraceType char const double enum float int long restrict short signed string struct union unsigned userland void volatile
syn keyword dtraceVariable arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7 arg8 arg9 args caller cgroup container cpu curcpu curthread cwd epid errno execname gid goid id kregs pid ppid probefunc probemod probename probeprov root stackdepth threadname tid timestamp ucaller uid uregs ustackdepth vmregs vtimestamp walltimestamp zonename
syn keyword dtraceAction breakpoint chill clear commit copyout copyoutstr denormalize discard exit freopen ftruncate normalize panic pcap print printa printf raise setopt slow span speculate stop system trace tracemem trunc
syn keyword dtraceSubroutine alloca basename bcopy begin cgroup_container cgroupid cleanpath copyin copyinstr copyinto d_path dirname end flight func getmajor getminor htonl htonll htons index inet_ntoa inet_ntoa6 inet_ntop json jstack link_ntop lltostr memstr mod msgdsize msgsize mutex_owned mutex_owner mutex_type_adaptive mutex_type_spin ntohl ntohll ntohs pending progenyof psargs rand rindex rw_iswriter rw_read_held rw_write_held speculation stack strchr strjoin strlen strrchr strstr strtok strtoll substr sym threshold tolower toupper uaddr ufunc umod ustack usym why
syn keyword dtraceAggregation avg count hist llquantize lquantize max min quantize stddev sum
syn match dtraceType "\<\w\+_t\>"
syn match dtraceNumber "\<\%(0x\x\+\|\d\+\)[uUlL]*\%(ns\|us\|ms\|s\|m\|h\|d\|hz\)\=\>"
syn match dtraceMacro "\$\$\=\w\+"
syn match dtraceAggregate "@\w*"
syn match dtraceScope "\<\%(self\|this\)->\w\+"
syn match dtraceProbe "^\s*\zs\%([[:alnum:]_*?$.\-\[\]!~]*:\)\{1,3\}[[:alnum:]_*?$.\-\[\]!~]*"
syn match dtraceProbe "^\s*\zs\%(BEGIN\|END\|ERROR\)\>"
syn region dtraceString start=+"+ skip=+\\\\\|\\"+ end=+"+ contains=dtraceFormat
syn match dtraceCharacter +'\%([^\\]\|\\.\+\)'+
syn match dtraceFormat "%[-+ #0@,*.[:digit:]]*\%(hh\|h\|ll\|l\)\=[diouxXpcCsSeEfgGaAkYTP%]" contained
syn region dtraceComment start="/\*" end="\*/" contains=@Spell
syn match dtracePragma "^\s*#.*$" contains=dtraceOption
syn keyword dtraceOption agghist aggpack aggpercpu aggrate aggsize aggsortkey aggsortkeypos aggsortpos aggsortrev aggtop aggzoom amin argref bpflog bpflogsize btf bufpolicy bufresize bufsize by causes cgroup cleanrate columns comm confined container control cost cpp cppargs cpppath cpu ctypes debuginfod defaultargs destructive droptags dtypes dynvarsize empty encoding errtags evaltime flight flightsize flowindent iterrate javaagent jstackframes jstackstrsize leftout libdir loopmax maxcpu maxframes metrics nolibs noresolve noself nspec oformat pcapsize printsize probereads pspec quiet rawbytes recage record recsize scratchsize snapshotrate specsize srclines stackframes stackindent statusrate stdc strsize switchrate syslibdir temporal tree unit unwindsize usdtfiles user ustackframes ustackunwind verbose version zdefs zdepends contained
hi def link dtraceKeyword Statement
hi def link dtraceType Type
hi def link dtraceVariable Identifier
hi def link dtraceAction Function
hi def link dtraceSubroutine Function
hi def link dtraceAggregation Special
hi def link dtraceNumber Number
hi def link dtraceMacro PreProc
hi def link dtraceAggregate Identifier
hi def link dtraceScope Identifier
hi def link dtraceProbe Title
hi def link dtraceString String
hi def link dtraceCharacter Character
hi def link dtraceFormat SpecialChar
hi def link dtraceComment Comment
hi def link dtracePragma PreProc
hi def link dtraceOption Constant
let b:current_syntax = "dtrace"
