/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a BPF object, attaches all its programs, drains its ring buffer, and runs until stdin is closed.
 * usage: bpfload FILE.bpf.o      prints "ready" when attached */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 10 };

static int take(void *ctx, void *data, size_t size)
{
	(void)data;
	(void)size;
	*(unsigned long *)ctx += 1;
	return 0;
}

static struct ring_buffer *open_ring(struct bpf_object *obj, unsigned long *count)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		if (bpf_map__type(map) == BPF_MAP_TYPE_RINGBUF)
			return ring_buffer__new(bpf_map__fd(map), take, count, NULL);
	}
	return NULL;
}

static int attach_all(struct bpf_object *obj)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj)
	{
		if (!bpf_program__attach(prog)) {
			perror(bpf_program__name(prog));
			return -1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned long count = 0;
	struct ring_buffer *ring;
	struct bpf_object *obj;

	if (argc != 2)
		return 2;
	obj = bpf_object__open_file(argv[1], NULL);
	if (!obj || bpf_object__load(obj) || attach_all(obj))
		return 1;
	ring = open_ring(obj, &count);
	puts("ready");
	fflush(stdout);
	while (poll(&in, 1, POLL_MS) == 0)
		if (ring)
			ring_buffer__consume(ring);
	ring_buffer__free(ring);
	bpf_object__close(obj);
	return 0;
}
