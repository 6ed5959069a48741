// the first line, with /* and a /
BEGIN // { exit(1);
{ // }
	x = 1; // y = 2; */
	z = 8 / 2; // "
	s = "no // comment"; /* // */ t = 3;
} // end
END /x == 1//* predicate ends before this comment */ { }
END /x == // in a predicate
1/ { } // not even a newline at the end of the file