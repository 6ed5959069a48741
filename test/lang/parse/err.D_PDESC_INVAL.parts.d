a:b:c:d:e { }
pid$nope:::x { }
pid$9:::x { }
4294967296 { }
0 { }
