UPDATE slow SET tracker = 2
