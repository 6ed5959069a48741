UPDATE source SET function = NULL, file = NULL, def_file = x'00ff', line = -1
