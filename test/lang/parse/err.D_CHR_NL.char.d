BEGIN { trace('a
); }
