#pragma D option nosuch
#pragma D option bufsize=x
#pragma D option linktype=elf
#pragma D option cpppath=/bin/cpp
#pragma D option strsize=99999
BEGIN { }
