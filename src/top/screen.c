/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the thread that draws and reads keys. */
#include "top/screen.h"
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <term.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "top/draw.h"

#define POLL_MS 200
#define STOP_S 2 /* a terminal that takes nothing for so long is left as it is */

struct screen {
	struct screen_config c;
	struct top_model *model;
	SCREEN *term;
	pthread_t thread;
	atomic_bool stop;
	int kept_err, saved_err; /* file descriptors */
	struct sigaction saved_tstp;
	struct pane pane;
	struct top_data data; /* what is drawn */
};

int screen_check(struct err *err)
{
	const char *name = getenv("TERM");
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, -ENOTTY,
			       "standard input and output must be a terminal; dwell latency shows the same as lines");
	if (setupterm(NULL, STDOUT_FILENO, &found) == ERR || !cursor_address)
		return err_set(
			err, -EINVAL,
			"terminals of type '%s' are not known, or cannot be drawn on; dwell latency shows the same as lines",
			name ? name : "");
	return 0;
}

/* -- keys -- */

static void scroll_by(struct pane *p, int by)
{
	if (p->kind == PANE_ALL) {
		if (by < 0 && p->tracker > 0)
			p->tracker--;
		else if (by > 0 && p->tracker + 1 < p->d->ntrackers)
			p->tracker++;
	} else if (by < 0) {
		p->scroll -= p->scroll < (size_t)-by ? p->scroll : (size_t)-by;
	} else {
		p->scroll += (size_t)by;
	}
}

static void choose(struct pane *p, enum pane_kind kind)
{
	p->kind = kind;
	p->scroll = 0;
}

static void next_tracker(struct pane *p, size_t by)
{
	if (p->d->ntrackers)
		p->tracker = (p->tracker + by) % p->d->ntrackers;
}

static void take_key(struct screen *s, int key)
{
	struct pane *p = &s->pane;

	switch (key) {
	case '1':
	case 27: choose(p, PANE_ALL); break;
	case '2':
	case 'c': choose(p, PANE_CAUSES); break;
	case '3':
	case 's': choose(p, PANE_SLOW); break;
	case '4':
	case 'p': choose(p, PANE_CPU); break;
	case '5':
	case 'h':
	case '\n': choose(p, PANE_HEAT); break;
	case '?': choose(p, p->kind == PANE_HELP ? PANE_ALL : PANE_HELP); break;
	case '\t': choose(p, (p->kind + 1) % PANE_HELP); break;
	case 'i': p->idle = !p->idle; break;
	case 'a': p->since_begin = !p->since_begin; break;
	case ' ': p->paused = !p->paused; break;
	case KEY_UP:
	case 'k': scroll_by(p, -1); break;
	case KEY_DOWN:
	case 'j': scroll_by(p, 1); break;
	case KEY_PPAGE: scroll_by(p, -(p->rows - 6)); break;
	case KEY_NPAGE: scroll_by(p, p->rows - 6); break;
	case KEY_RIGHT: next_tracker(p, 1); break;
	case KEY_LEFT: next_tracker(p, p->d->ntrackers - 1); break;
	case 'q':
	case 'Q': kill(getpid(), SIGINT); break;
	default: break;
	}
}

/* -- the thread -- */

static void redraw(struct screen *s)
{
	struct pane *p = &s->pane;

	getmaxyx(stdscr, p->rows, p->cols);
	if (p->rows < SCREEN_MIN_ROWS || p->cols < SCREEN_MIN_COLS) {
		char text[64];

		snprintf(text, sizeof(text), "%d x %d is too small: %d x %d or more", p->cols, p->rows, SCREEN_MIN_COLS,
			 SCREEN_MIN_ROWS);
		erase();
		draw_text(p, 0, 0, p->cols, STYLE_PLAIN, text);
		refresh();
		return;
	}
	pane_draw(p);
}

/* false: the terminal is gone. */
static bool wait_key(struct screen *s)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&in, 1, POLL_MS) >= 0 ? !(in.revents & (POLLHUP | POLLERR | POLLNVAL))
					  : errno == EINTR || atomic_load(&s->stop);
}

static void *screen_thread(void *arg)
{
	struct screen *s = arg;
	uint64_t drawn = 0;
	bool dirty = true;

	while (!atomic_load(&s->stop)) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		int key;

		if (!s->pane.paused && now - drawn >= s->c.refresh_ns) {
			top_model_copy(s->model, &s->data);
			dirty = true;
		}
		if (dirty) {
			redraw(s);
			drawn = now;
			dirty = false;
		}
		if (!wait_key(s)) {
			kill(getpid(), SIGINT);
			break;
		}
		while ((key = getch()) != ERR) {
			take_key(s, key);
			dirty = true;
		}
	}
	return NULL;
}

/* -- begin and end -- */

/* Messages would spoil the picture. */
static void keep_errors(struct screen *s)
{
	s->kept_err = memfd_create("messages", MFD_CLOEXEC);
	s->saved_err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (s->kept_err >= 0 && s->saved_err >= 0)
		dup2(s->kept_err, STDERR_FILENO);
}

static void tell_errors(struct screen *s)
{
	char buf[4096];
	ssize_t n;

	if (s->kept_err >= 0 && s->saved_err >= 0) {
		dup2(s->saved_err, STDERR_FILENO);
		lseek(s->kept_err, 0, SEEK_SET);
		while ((n = read(s->kept_err, buf, sizeof(buf))) > 0)
			if (write(STDERR_FILENO, buf, (size_t)n) < 0)
				break;
	}
	if (s->kept_err >= 0)
		close(s->kept_err);
	if (s->saved_err >= 0)
		close(s->saved_err);
}

static int take_terminal(struct screen *s)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	setlocale(LC_CTYPE, "");
	s->pane.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	s->term = newterm(NULL, stdout, stdin);
	if (!s->term)
		return -EINVAL;
	sigaction(SIGTSTP, &ignore, &s->saved_tstp); /* a stopped tracer would lose what it measures */
	draw_init(&s->pane.colours);
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	return 0;
}

static void give_terminal(struct screen *s)
{
	endwin();
	delscreen(s->term);
	sigaction(SIGTSTP, &s->saved_tstp, NULL);
}

/* Signals are for the thread that measures; only a new size is for this one. */
static int start_thread(struct screen *s)
{
	sigset_t all, old;
	int e;

	sigfillset(&all);
	sigdelset(&all, SIGWINCH);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = -pthread_create(&s->thread, NULL, screen_thread, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return e;
}

int screen_start(const struct screen_config *config, struct top_model *model, struct screen **ret)
{
	struct screen *s = calloc(1, sizeof(*s));
	int e;

	if (!s)
		return -ENOMEM;
	s->c = *config;
	s->model = model;
	s->pane = (struct pane){ .d = &s->data, .title = config->title, .idle = config->idle };
	e = take_terminal(s);
	if (e < 0) {
		free(s);
		return e;
	}
	keep_errors(s);
	e = start_thread(s);
	if (e < 0) {
		give_terminal(s);
		tell_errors(s);
		free(s);
		return e;
	}
	*ret = s;
	return 0;
}

bool screen_stop(struct screen *s)
{
	struct timespec until;

	if (!s)
		return true;
	atomic_store(&s->stop, true);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_S;
	if (pthread_timedjoin_np(s->thread, NULL, &until) != 0)
		return false; /* it hangs in a write: nothing of it can be freed */
	give_terminal(s);
	tell_errors(s);
	free(s);
	return true;
}
