UPDATE source SET pos = pos - 9223372036854775807, line = 1e300, function = zeroblob(70000)
