const x;
static y[int];
const z;
