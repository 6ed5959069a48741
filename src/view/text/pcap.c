/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of pcap(): into the file of freopen() in libpcap's format, else as tracemem() shows bytes.
 * Source: libpcap, pcap-savefile(5). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "view/text/int.h"

#define MAGIC 0xa1b2c3d4 /* times in microseconds */
#define SNAPLEN 262144	 /* the largest that readers take */
#define DLT_RAW 12	 /* PCAP_IP; files have another number for it */
#define LINKTYPE_RAW 101

struct file_head {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, snaplen, link;
};

struct packet_head {
	uint32_t sec, usec, caplen, len;
};

static bool put(struct text_view *v, const void *p, size_t n)
{
	return fwrite(p, 1, n, v->out) == n;
}

/* Writes the head of an empty file; checks that of one that has some. False: said why not. */
static bool begin_file(struct text_view *v, uint32_t link)
{
	struct file_head want = { MAGIC, 2, 4, 0, 0, SNAPLEN, link }, have = { 0 };
	_cleanup_close_ int fd = -1;
	struct stat st;

	text_view_flush(v);
	if (fstat(fileno(v->out), &st) == 0 && st.st_size == 0)
		return put(v, &want, sizeof(want));
	fd = open(v->out_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || pread(fd, &have, sizeof(have), 0) != (ssize_t)sizeof(have) || have.magic != MAGIC) {
		text_msg(v, "pcap(): %s is not a file of packets", v->out_path);
		return false;
	}
	if (have.link != link)
		text_msg(v, "pcap(): %s has packets of link type %u, not %u", v->out_path, have.link, link);
	return have.link == link;
}

void text_pcap(struct text_view *v, const struct recact *act, const uint8_t *rec)
{
	const struct recfield *f = act->fields;
	const uint8_t *data = rec + f[REC_PCAP_DATA].off;
	uint64_t n[REC_PCAP_DATA];
	struct packet_head head;
	uint32_t link;

	for (size_t i = 0; i < REC_PCAP_DATA; i++)
		n[i] = recfield_u64(&f[i], rec + f[i].off);
	if (n[REC_PCAP_CAPLEN] > f[REC_PCAP_DATA].size)
		n[REC_PCAP_CAPLEN] = f[REC_PCAP_DATA].size;
	if (!v->own_out) {
		text_rawbytes(v, data, n[REC_PCAP_CAPLEN]);
		return;
	}
	link = n[REC_PCAP_LINK] == DLT_RAW ? LINKTYPE_RAW : (uint32_t)n[REC_PCAP_LINK];
	if (v->pcap_link != (int64_t)link) {
		if (!begin_file(v, link))
			return;
		v->pcap_link = link;
	}
	head = (struct packet_head){ .sec = (uint32_t)(n[REC_PCAP_WALL] / NSEC_PER_SEC),
				     .usec = (uint32_t)(n[REC_PCAP_WALL] % NSEC_PER_SEC / 1000),
				     .caplen = (uint32_t)n[REC_PCAP_CAPLEN],
				     .len = (uint32_t)n[REC_PCAP_LEN] };
	if (!put(v, &head, sizeof(head)) || !put(v, data, head.caplen))
		text_msg(v, "pcap(): writing to %s failed: %s", v->out_path, strerror(errno));
}
