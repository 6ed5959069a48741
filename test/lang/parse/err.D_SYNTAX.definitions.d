inline int x;
translator a < b > { };
provider p { foo x(); };
