UPDATE field SET off = -8
