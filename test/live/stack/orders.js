// SPDX-License-Identifier: Apache-2.0
/* A server of orders, for stacks of a program as people write them: HTTP, a database, JSON, hashes, a log that is flushed. Arguments:
 * port, socket of PostgreSQL, log. Each line of the log is what V8 says of the stack of the flush after it. */
"use strict";
const http = require("http"), net = require("net"), fs = require("fs"), crypto = require("crypto");
const log = fs.openSync(process.argv[4], "w");
class Database { // PostgreSQL's protocol, one query at a time
	constructor(path) {
		this.waiting = [];
		this.data = Buffer.alloc(0);
		this.socket = net.connect(path, () => {
			const b = Buffer.from("\0\0\0\0\0\x03\0\0user\0postgres\0\0"); b.writeInt32BE(b.length, 0); this.socket.write(b);
		});
		this.socket.on("data", (d) => this.take(d));
	}
	take(d) {
		this.data = Buffer.concat([this.data, d]);
		for (let n; this.data.length > 4 && this.data.length > (n = this.data.readInt32BE(1)); this.data = this.data.subarray(n + 1)) {
			const type = String.fromCharCode(this.data[0]);
			if (type === "D" && this.waiting.length) this.waiting[0].rows.push(this.data.subarray(11, n + 1).toString());
			if (type === "Z" && this.waiting.length && this.ready) { const w = this.waiting.shift(); w.done(w.rows); }
			if (type === "Z") this.ready = true;
		}
	}
	ask(sql) {
		return new Promise((done) => {
			this.waiting.push({ rows: [], done });
			const b = Buffer.from(`Q\0\0\0\0${sql}\0`); b.writeInt32BE(b.length - 1, 1); this.socket.write(b);
		});
	}
}
Error.stackTraceLimit = 100;
const database = new Database(process.argv[3]);
function note() {
	fs.writeSync(log, JSON.stringify(new Error().stack.split("\n").slice(2)) + "\n");
	fs.fsyncSync(log);
}
async function order(id) {
	const rows = await database.ask(`insert into orders values (${id}, 'cake') returning id * 2`);
	note();
	return rows[0];
}
function price(items) { return items.map((i) => i.n * 3).sort((a, b) => a - b).reduce((a, b) => a + b, 0); }
const server = http.createServer(async (request, response) => {
	let body = "";
	for await (const part of request) body += part;
	const id = Number(request.url.slice(1)), items = JSON.parse(body);
	const hash = crypto.createHash("sha256").update(body).digest("hex");
	response.end(JSON.stringify({ order: await order(id), price: price(items), hash }));
});
server.listen(process.argv[2], () => console.log("ready"));
process.on("SIGTERM", () => process.exit());
