a:::b /x { trace(1); }
a:::b /(x/ { y +; }
a:::b /x[1/ { }
