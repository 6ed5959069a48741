/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the HTML page of a kernel's devices. */
#include "hardware/hwpage.h"
#include <errno.h>
#include "base/jsonw.h"

/* All matching rows are counted; the first thousand are shown, since a browser is slow with more. */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Hardware of a kernel</title>\n<style>\n"
	"body{font:15px/1.4 sans-serif;margin:2em;color-scheme:light dark}\n"
	"table{border-collapse:collapse;margin-top:1em}td,th{padding:2px 14px 2px 0;text-align:left;vertical-align:top}\n"
	"td:nth-child(2),td:nth-child(3){font-family:monospace}input{font:inherit;width:24em}\n</style></head><body>\n"
	"<h1></h1><label>Search: <input type=\"search\" autofocus "
	"placeholder=\"vendor, device, 8086:100e, module\"></label>\n"
	"<p id=\"n\" role=\"status\"></p><table><thead><tr><th>Bus<th>Id<th>Module<th>Name</tr></thead><tbody></tbody></table>\n"
	"<script>\n\"use strict\";\n";
static const char script[] =
	"const shown=1000,all=rows.map(r=>r.join(' ').toLowerCase());\n"
	"document.title=title;document.querySelector('h1').textContent=title;\n"
	"const body=document.querySelector('tbody'),input=document.querySelector('input');\n"
	"function show(){\n"
	" const words=input.value.toLowerCase().split(/\\s+/).filter(Boolean);let n=0;body.textContent='';\n"
	" rows.forEach((r,i)=>{if(!words.every(w=>all[i].includes(w)))return;\n"
	"  if(n++<shown){const tr=body.insertRow();for(const c of r)tr.insertCell().textContent=c;}});\n"
	" document.getElementById('n').textContent=n+' of '+rows.length+(n>shown?', the first '+shown+' are shown':'');\n"
	"}\ninput.addEventListener('input',show);show();\n</script></body></html>\n";

/* "</script>" in a name would end the script. */
static void put_safely(FILE *out, const char *s)
{
	for (; *s; s++)
		if (*s == '<')
			fputs("\\u003c", out);
		else
			fputc(*s, out);
}

int hwpage_write(FILE *out, const char *title, const struct strb *rows)
{
	struct strb b = { 0 };
	struct jsonw j = jsonw_to(&b);

	jsonw_str(&j, NULL, title);
	if (b.failed || rows->failed) {
		strb_free(&b);
		return -ENOMEM;
	}
	fputs(head, out);
	fputs("const title=", out);
	put_safely(out, strb_str(&b));
	fputs(",rows=", out);
	put_safely(out, strb_str(rows));
	fputs(";\n", out);
	fputs(script, out);
	strb_free(&b);
	return ferror(out) ? -EIO : 0;
}
