UPDATE slow SET tracker = -1
