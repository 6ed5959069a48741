#pragma D nonsense
#pragma D attributes x y
#pragma D binding "x" y
#pragma D depends_on thing x
#pragma D param target int "taken"
#pragma D param help string "taken"
BEGIN { }
