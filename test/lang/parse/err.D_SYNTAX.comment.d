BEGIN { /* a /* b */ }
END { /* never ends }
