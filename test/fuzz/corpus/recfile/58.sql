UPDATE slow SET id = -5; UPDATE slow_attr SET slow = -5, stack = -1, name = zeroblob(1000)
