UPDATE action SET fmt = NULL
