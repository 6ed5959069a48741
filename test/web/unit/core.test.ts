// SPDX-License-Identifier: Apache-2.0
// The page of a core without a page: values in a line, looks and addresses, the order of constructors, references.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { chooseGroups, GroupLine, referenceText } from "../../../web/src/core/coredata.js";
import { readLook, writeLook } from "../../../web/src/core/corelook.js";
import { Json, ValueText } from "../../../web/src/core/valuetext.js";

const whole = new ValueText(1000);

test("a value as the program would write it", () => {
	const cases: [Json, string][] = [
		[1.5, "1.5"],
		[null, "null"],
		['a"b\n', '"a\\"b\\n"'],
		[{ $undefined: true }, "undefined"],
		[{ $number: "NaN" }, "NaN"],
		[{ $bigint: "12" }, "12n"],
		[{ $bigint: "12n" }, "12n"],
		[{ $function: "f" }, "function f"],
		[{ $object: "Pool" }, "Pool {…}"],
		[{ $date: "2026-01-01T00:00:00.000Z" }, "2026-01-01T00:00:00.000Z"],
		[{ $map: [["k", 1], [{ $object: "K" }, null], { $more: 3 }] }, 'Map {"k" => 1, K {…} => null, … 3 more}'],
		[{ $set: [1, { $more: 2 }] }, "Set {1, … 2 more}"],
		[{ $fulfilled: [1] }, "Promise {[1]}"],
		[{ $Uint8Array: [1, 2, { $more: 4 }] }, "Uint8Array [1, 2, … 4 more]"],
		[[1, { $empty: 2 }, "x"], '[1, 2 empty, "x"]'],
		[{}, "{}"],
		[{ a: 1, "b c": [], $more: 5 }, '{ a: 1, "b c": [], … 5 more }'],
		[{ $circular: 1 }, "[itself]"],
		[{ $other: 1 }, "{ $other: 1 }"],
		[{ $constructor: 1 }, "{ $constructor: 1 }"],
		[{ toString: 1 }, "{ toString: 1 }"],
	];
	for (const [value, text] of cases) equal(whole.line(value), text);
});

test("a long value is cut", () => {
	equal(new ValueText(5).line("abcdefgh"), '"abc…');
	equal(new ValueText(5).line("abc"), '"abc"');
});

test("an address brings back what was shown, and nothing else", () => {
	const look = { list: "retainers", like: "1a2b", object: "ffff00001111" } as const;
	deepEqual(readLook(writeLook(look)), look);
	equal(writeLook({ list: "constructors", like: "", object: "" }), "#list=constructors");
	const none = { list: "constructors", like: "", object: "" } as const;
	deepEqual(readLook("#list=others&like=12g&object=11112222333344445"), none);
	deepEqual(readLook(""), none);
});

const group = (constructor: string, count: number, bytes: number, names = ""): GroupLine => ({
	object: "1",
	count,
	bytes,
	constructor,
	names,
});

test("constructors are sorted and searched", () => {
	const all = [group("B", 1, 30, "id, Host"), group("a", 9, 10), group("C", 9, 20)],
		names = (found: GroupLine[]) => found.map((line) => line.constructor).join("");
	equal(names(chooseGroups(all, "", "bytes")), "BCa");
	equal(names(chooseGroups(all, "", "count")), "aCB");
	equal(names(chooseGroups(all, "", "constructor")), "aBC");
	equal(names(chooseGroups(all, " hOsT", "bytes")), "B");
	equal(names(chooseGroups(all, "nothing", "bytes")), "");
	equal(names(all), "BaC");
});

test("a reference in words", () => {
	const line = { holder: "1", constructor: "Pool" };
	equal(referenceText({ ...line, kind: "property", name: "list" }), "Pool.list");
	equal(referenceText({ ...line, kind: "element", index: 3 }), "Pool[3]");
	equal(referenceText({ ...line, kind: "value of its Map", index: 0 }), "Pool[0] (value of its Map)");
	equal(
		referenceText({ kind: "global variable", holder: "1", constructor: "globalThis", name: "x" }),
		"globalThis.x",
	);
	equal(referenceText({ kind: "variable", holder: "1", constructor: "", name: "x" }), "x (variable)");
	equal(referenceText({ kind: "root", constructor: "", address: "7f" }), "the word at 7f outside of V8's heap");
});
