a:::b /x/ { }
a:::b / x / (y) / 2 / { }
a:::b /(a / b) > 3 && arr[4 / 2]/ { }
a:::b /pid == 1/ /* comment */ { }
a:::b /x /= 2/ { }
a:::b /x/ ;
a:::b /"/ {" == probename/ { trace('/'); x = 1 / 2; }
a:::b
/x &&
 y/
{ }
a:::b /x/
