#error no way
#pragma D error "not" this
BEGIN { }
