UPDATE stack SET frames = zeroblob(8 * 4097)
