#pragma D option defaultargs
BEGIN { trace($9); trace($$9); }
pid$9:::x { }
