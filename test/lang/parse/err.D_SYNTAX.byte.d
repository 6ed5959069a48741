BEGIN { a # b; \ ; ; ÿ; }
