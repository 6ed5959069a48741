// no
BEGIN { }
