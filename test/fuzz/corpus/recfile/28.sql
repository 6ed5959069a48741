UPDATE field SET off = 47
