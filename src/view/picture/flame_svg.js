/* SPDX-License-Identifier: Apache-2.0 */
/* What a flame graph in SVG can do: zoom, search, keyboard, and its state in the URL. Names, places and amounts
 * are those of the elements. Errors in reading the URL or writing it (some places forbid that) change nothing. */
(() => {
"use strict";
const svg = document.documentElement, area = document.getElementById("f"), detail = document.getElementById("d");
const NS = "http://www.w3.org/2000/svg", MARGIN = 10, ROW = 17;
let width = 0, charWidth = 6.4, from = 0, span = 1, zoomed = -1, at = -1, pattern = "", ignoreCase = false;

const frames = [...area.children].map((g) => {
	const r = g.querySelector("rect"), title = g.querySelector("title").textContent.split("\n");
	return { g, r, t: g.querySelector("text"), name: title[0], label: title[0],
		more: title.slice(1).join(" · "),
		x: parseFloat(r.getAttribute("x")) / 100, w: parseFloat(r.getAttribute("width")) / 100,
		row: Math.round(parseFloat(r.getAttribute("y")) / ROW), found: false };
});

/* What a character of a label takes here: fonts differ. */
function measure() {
	const t = document.createElementNS(NS, "text"), sample = "do_syscall_64 ext4_readdir [unknown]";
	t.textContent = sample;
	area.append(t);
	charWidth = (t.getComputedTextLength() / sample.length) * 1.04 || charWidth;
	t.remove();
}

function button(text, help, right, what) {
	const t = document.createElementNS(NS, "text");
	t.setAttribute("class", "b");
	t.setAttribute("y", "26");
	t.setAttribute("text-anchor", "end");
	t.setAttribute("role", "button");
	t.setAttribute("tabindex", "0");
	t.textContent = text;
	t.addEventListener("click", what);
	t.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); e.stopPropagation(); what(); } });
	const tip = document.createElementNS(NS, "title");
	tip.textContent = help;
	t.append(tip);
	svg.append(t);
	return { t, right };
}
const buttons = [button("Search", "Ctrl-F or /", 0, ask), button("Reset", "Escape", 58, reset)];
const share = button("", "share of all that was found, counted once", 106, ask);
buttons.push(share);

function fit(name, px) {
	const n = Math.floor((px - 6) / charWidth);
	return n < 3 ? "" : name.length <= n ? name : name.slice(0, n - 1) + "…";
}

function draw() {
	for (const f of frames) {
		let x = (f.x - from) / span, w = f.w / span;
		const whole = zoomed >= 0 && f.x <= from + 1e-9 && f.x + f.w >= from + span - 1e-9;
		const out = x + w <= 1e-9 || x >= 1 - 1e-9;
		f.g.style.display = out ? "none" : "";
		if (out)
			continue;
		if (whole) {
			x = 0;
			w = 1;
		}
		f.g.classList.toggle("o", whole && frames[zoomed] !== f && w > f.w / span + 1e-9 || whole && f.w > span + 1e-9);
		f.r.setAttribute("x", (100 * x).toFixed(4) + "%");
		f.r.setAttribute("width", (100 * w).toFixed(4) + "%");
		const text = fit(f.label, w * width);
		if (text && !f.t) {
			f.t = document.createElementNS(NS, "text");
			f.t.setAttribute("dx", "3");
			f.t.setAttribute("y", String(f.row * ROW + 12));
			f.g.append(f.t);
		}
		if (f.t) {
			f.t.textContent = text;
			f.t.setAttribute("x", (100 * x).toFixed(4) + "%");
		}
	}
	save();
}

function layout() {
	const w = Math.max(320, window.innerWidth || 1200);
	svg.removeAttribute("viewBox");
	svg.setAttribute("width", "100%");
	area.setAttribute("width", String(w - 2 * MARGIN));
	width = w - 2 * MARGIN;
	for (const b of buttons)
		b.t.setAttribute("x", String(w - MARGIN - b.right));
	draw();
}

function zoom(i) {
	zoomed = i;
	from = i < 0 ? 0 : frames[i].x;
	span = i < 0 ? 1 : frames[i].w;
	draw();
}

function reset() {
	search("");
	select(-1);
	zoom(-1);
}

function ask() {
	const s = window.prompt("Search for a name (regular expression" + (ignoreCase ? ", case ignored" : "") + ")", pattern);
	if (s !== null)
		search(s);
}

function search(s) {
	let re;
	pattern = s;
	try {
		re = new RegExp(s, ignoreCase ? "i" : "");
	} catch (e) {
		re = new RegExp(s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), ignoreCase ? "i" : "");
	}
	const found = [];
	for (const f of frames) {
		f.found = s !== "" && re.test(f.name);
		f.g.classList.toggle("f", f.found);
		if (f.found)
			found.push(f);
	}
	found.sort((a, b) => a.x - b.x || b.w - a.w);
	let sum = 0, end = 0;
	for (const f of found)
		if (f.x + f.w > end + 1e-9) {
			sum += f.x + f.w - Math.max(end, f.x);
			end = f.x + f.w;
		}
	share.t.firstChild.textContent = s === "" ? "" : found.length + " found, " + (100 * sum).toFixed(2) + " %";
	save();
}

function select(i) {
	if (at >= 0)
		frames[at].g.classList.remove("s");
	at = i;
	if (i < 0) {
		detail.textContent = "";
		return;
	}
	frames[i].g.classList.add("s");
	tell(frames[i]);
}

function tell(f) {
	detail.textContent = f.name + " · " + f.more;
}

/* The nearest frame that is seen, in a row up or down, or beside it. */
function move(rows, side) {
	if (at < 0) {
		select(zoomed >= 0 ? zoomed : 0);
		return;
	}
	const me = frames[at];
	let best = -1, distance = Infinity;
	frames.forEach((f, i) => {
		if (f.g.style.display === "none" || f.row !== me.row + rows || f === me)
			return;
		const over = Math.min(f.x + f.w, me.x + me.w) - Math.max(f.x, me.x);
		if (side === 0 ? over <= 0 : (f.x - me.x) * side <= 0)
			return;
		const d = side === 0 ? -over : Math.abs(f.x - me.x);
		if (d < distance) {
			distance = d;
			best = i;
		}
	});
	if (best >= 0)
		select(best);
}

function save() {
	try {
		const u = new URL(location.href);
		for (const [k, v] of [["x", zoomed >= 0 ? String(zoomed) : ""], ["s", pattern], ["i", ignoreCase ? "1" : ""]])
			if (v)
				u.searchParams.set(k, v);
			else
				u.searchParams.delete(k);
		if (u.href !== location.href)
			history.replaceState(null, "", u.href);
	} catch (e) { /* see above */ }
}

function key(e) {
	if (e.altKey || e.metaKey)
		return;
	if (e.key === "F3" || e.key === "/" || (e.ctrlKey && e.key === "f")) {
		ask();
	} else if (e.ctrlKey && e.key === "i") {
		ignoreCase = !ignoreCase;
		search(pattern);
	} else if (e.ctrlKey) {
		return;
	} else if (e.key === "Escape") {
		reset();
	} else if (e.key === "ArrowUp" || e.key === "ArrowDown") {
		move(e.key === "ArrowUp" ? -1 : 1, 0);
	} else if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
		move(0, e.key === "ArrowLeft" ? -1 : 1);
	} else if (e.key === "Enter" && at >= 0) {
		zoom(at);
	} else {
		return;
	}
	e.preventDefault();
}

frames.forEach((f, i) => {
	f.g.addEventListener("click", () => zoom(i));
	f.g.addEventListener("mouseenter", () => tell(f));
});
area.addEventListener("mouseleave", () => { detail.textContent = at >= 0 ? frames[at].name + " · " + frames[at].more : ""; });
window.addEventListener("keydown", key);
window.addEventListener("resize", layout);

const state = new URLSearchParams(location.search), x = parseInt(state.get("x") || "-1", 10);
ignoreCase = state.get("i") === "1";
const wanted = state.get("s") || "";
zoomed = x >= 0 && x < frames.length ? x : -1;
if (zoomed >= 0) {
	from = frames[zoomed].x;
	span = frames[zoomed].w;
}
for (const f of frames)
	f.label = f.g.getAttribute("data-l") || f.name;
measure();
layout();
if (wanted)
	search(wanted);
})();
