UPDATE stack SET space = 3
