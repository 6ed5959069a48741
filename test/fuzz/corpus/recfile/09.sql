UPDATE hist SET buckets = '{"6":2}'
