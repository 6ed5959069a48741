self x;
this y[int];
const z;
