UPDATE hist SET buckets = printf('%.*c', 100000, '{')
