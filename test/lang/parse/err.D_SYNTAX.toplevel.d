};
{ }
(x)
BEGIN { }
