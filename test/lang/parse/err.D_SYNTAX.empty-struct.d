struct a { };
enum e { };
struct b { int x };
