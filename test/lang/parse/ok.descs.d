BEGIN { }
read { } :::read { } syscall:: { } syscall::: { } vfs:: { }
a-b.c_d:*:[a-z]?!x\*:n { }
fbt::foo`bar:entry { }
pid$1:a.out:main:entry { }
usdt$target:::x$3 { }
io:::start,io:::done,3,4 { }
int*x:::foo { }
selfish:::x { }
self:::x { }
