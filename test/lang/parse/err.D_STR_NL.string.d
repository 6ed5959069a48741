BEGIN { trace("abc
); }
END { }
