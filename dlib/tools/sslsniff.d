#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sslsniff.d: what programs send and receive by TLS, before it is encrypted and after it is decrypted.
 *
 * Topic: Functions of programs
 * Usage: sslsniff.d [-p PID|-c COMMAND] [--module FILE]
 * OpenSSL and GnuTLS, in all programs that use them, also those that start later; with -p or -c only in this process
 * and its descendants. --module node: a program that has OpenSSL in itself.
 *
 * PID, COMMAND  the process     D  W written, R read     BYTES  of the call     DATA  the first line, up to 160 bytes
 *
 * Example:
 *   # sslsniff.d -c "python3 hello-tls.py"
 *       PID COMMAND          D    BYTES DATA
 *     25858 python3          W       24 GET /secret HTTP/1.0
 *     25858 python3          R       24 GET /secret HTTP/1.0
 *     25858 python3          W       24 HTTP/1.0 200 OK
 *     25858 python3          R       24 HTTP/1.0 200 OK
 */
#pragma D option quiet
#pragma D option strsize=160
#pragma D option zdefs
#pragma D param module string "files that have SSL_read() and SSL_write()" libssl.so*

BEGIN
{
	printf("%7s %-16s %1s %8s %s\n", "PID", "COMMAND", "D", "BYTES", "DATA");
}

pid*:$module:SSL_write:entry, pid*:$module:SSL_read:entry,
pid*:$module:SSL_write_ex:entry, pid*:$module:SSL_read_ex:entry,
pid*:libgnutls.so*:gnutls_record_send:entry, pid*:libgnutls.so*:gnutls_record_recv:entry
/wanted/
{
	self->buf = arg1;
	self->n = arg3;
}

pid*:$module:SSL_write:return, pid*:$module:SSL_read:return,
pid*:libgnutls.so*:gnutls_record_send:return, pid*:libgnutls.so*:gnutls_record_recv:return
/self->buf && (int)arg1 > 0/
{
	self->len = (int)arg1;
}

/* These functions return 1, and put the number where the fourth argument points. */
pid*:$module:SSL_write_ex:return, pid*:$module:SSL_read_ex:return
/self->buf && (int)arg1 == 1/
{
	self->len = *(size_t *)copyin(self->n, sizeof (size_t));
}

pid*:$module:SSL_write:return, pid*:$module:SSL_read:return,
pid*:$module:SSL_write_ex:return, pid*:$module:SSL_read_ex:return,
pid*:libgnutls.so*:gnutls_record_send:return, pid*:libgnutls.so*:gnutls_record_recv:return
/self->buf && self->len > 0/
{
	/* copyin() adds no NUL. Bytes of an earlier, longer copy may follow. */
	this->data = substr(stringof(copyin(self->buf, self->len < 160 ? self->len : 160)), 0, self->len);
	printf("%7d %-16s %1s %8d %S\n", pid, execname,
	    strstr(probefunc, "write") != NULL || strstr(probefunc, "send") != NULL ? "W" : "R", self->len,
	    strtok(this->data, "\r\n"));
}

pid*:$module:SSL_write:return, pid*:$module:SSL_read:return,
pid*:$module:SSL_write_ex:return, pid*:$module:SSL_read_ex:return,
pid*:libgnutls.so*:gnutls_record_send:return, pid*:libgnutls.so*:gnutls_record_recv:return
{
	self->buf = 0;
	self->len = 0;
	self->n = 0;
}
