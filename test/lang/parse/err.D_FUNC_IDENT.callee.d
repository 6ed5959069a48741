BEGIN { "x"(1); a.b(1); self->x(1); f(1)(2); }
