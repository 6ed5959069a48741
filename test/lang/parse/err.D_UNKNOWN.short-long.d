long short y;
unsigned short long int z;
