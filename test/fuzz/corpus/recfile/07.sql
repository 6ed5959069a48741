UPDATE hist SET buckets = '{"1889":1}'
