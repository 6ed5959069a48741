BEGIN { 1 +; 2 + ; trace(3); ) ; }
END { x = ; y[] ; f(,); }
BEGIN { ? }
