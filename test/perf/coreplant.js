// SPDX-License-Identifier: Apache-2.0
// Fills the heap for test/perf/core.py: 4.6 million objects in a list, each with an array, and a Map of a quarter of them.
class Conn {
  constructor(i) {
    this.id = i;
    this.host = i;
    this.nested = [i, i];
    this.next = null;
  }
}
const list = [];
const map = new Map();
for (let i = 0; i < 4600000; i++) {
  const c = new Conn(i);
  list.push(c);
  if (i % 4 === 0) map.set(i, c);
}
globalThis.all = { list, map };
process.abort();
