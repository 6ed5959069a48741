#include <stdio.h>
#define X
BEGIN { }
# "x"
