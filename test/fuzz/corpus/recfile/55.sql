UPDATE hist SET start = -1, period = 0
