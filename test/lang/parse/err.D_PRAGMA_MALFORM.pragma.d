#pragma D option
#pragma D option a b
#pragma D attributes x
#pragma D binding 1.0 x
#pragma D depends_on x
#line x
# 3 x
#pragma D option "quiet"
#pragma D param x
#pragma D param x float "help"
#pragma D param x int help
#pragma D param x int "help" 1 2
BEGIN { }
