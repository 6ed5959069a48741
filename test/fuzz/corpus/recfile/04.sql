UPDATE slow SET how = NULL; UPDATE slow SET how = x'00'
