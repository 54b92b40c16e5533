// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "aside.h"
#include "ctl.h"
#include "terminal.h"

/* The alternate screen without a cursor, and back. */
#define ENTER	"\033[?1049h\033[?25l"
#define LEAVE	"\033[?25h\033[?1049l"

#define SEQUENCE_MS	50	/* that the rest of a key's bytes may take */

static struct {
	bool entered;
	struct termios before;
	sigset_t mask_before;
	int signals;
	char input[64];
	size_t length;
} terminal = { .signals = -1 };

bool terminal_usable(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb");
}

static void watched_signals(sigset_t *set)
{
	static const int watched[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH,
	};
	unsigned int i;

	sigemptyset(set);
	for (i = 0; i < ARRAY_SIZE(watched); i++)
		sigaddset(set, watched[i]);
}

static int set_raw(void)
{
	struct termios raw = terminal.before;

	raw.c_lflag &= (tcflag_t)~(ICANON | ECHO);
	raw.c_iflag &= (tcflag_t)~IXON;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

static void put(const char *text)
{
	/* A terminal that is gone takes nothing; reading says so. */
	if (!write_all(STDOUT_FILENO, text, strlen(text)))
		return;
}

static void put_back(void)
{
	if (!terminal.entered)
		return;
	terminal.entered = false;
	put(LEAVE);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
}

/*
 * In the background it stops at tcdrain(), before it looks: what a shell makes of
 * the terminal for itself is not what is to be put back.
 */
static int take_over(void)
{
	if (tcdrain(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &terminal.before) ||
	    set_raw())
		return fail(ST_REFUSED, "the terminal: %s", strerror(errno));
	terminal.entered = true;
	put(ENTER);
	return 0;
}

int terminal_enter(void)
{
	sigset_t set;

	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &terminal.mask_before);
	terminal.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (terminal.signals < 0)
		return fail(ST_REFUSED, "signals: %s", strerror(errno));
	atexit(put_back);
	return take_over();
}

void terminal_leave(void)
{
	put_back();
	if (terminal.signals >= 0)
		close(terminal.signals);
	terminal.signals = -1;
	sigprocmask(SIG_SETMASK, &terminal.mask_before, NULL);
}

void terminal_again(void)
{
	if (!terminal.entered)
		return;
	set_raw();
	put(ENTER);
}

void terminal_size(int *lines, int *columns)
{
	struct winsize size;

	*lines = 24;
	*columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (size.ws_row)
		*lines = size.ws_row;
	if (size.ws_col)
		*columns = size.ws_col;
}

void terminal_wait(int ms)
{
	struct pollfd p[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = terminal.signals, .events = POLLIN },
	};

	if (!terminal.length)
		poll(p, ARRAY_SIZE(p), ms);
}

int terminal_signal(void)
{
	struct signalfd_siginfo info;

	if (read(terminal.signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

void terminal_stop(void)
{
	sigset_t stop, mask;

	put_back();
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	/* It stops here, unless nobody could ever let it go on. */
	sigprocmask(SIG_UNBLOCK, &stop, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	take_over();
}

/* ---- keys --------------------------------------------------------------- */

/* False: there was nothing to read, or nothing will ever be (@gone). */
static bool fill(int ms, bool *gone)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return false;
	n = read(STDIN_FILENO, terminal.input + terminal.length,
		 sizeof(terminal.input) - terminal.length);
	*gone = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
	if (n <= 0)
		return false;
	terminal.length += (size_t)n;
	return true;
}

static void drop(size_t n)
{
	terminal.length -= n;
	memmove(terminal.input, terminal.input + n, terminal.length);
}

static const struct {
	const char *bytes;
	int key;
} sequences[] = {
	{ "\033[A", KEY_UP }, { "\033OA", KEY_UP },
	{ "\033[B", KEY_DOWN }, { "\033OB", KEY_DOWN },
	{ "\033[5~", KEY_PAGE_UP }, { "\033[6~", KEY_PAGE_DOWN },
	{ "\033[H", KEY_HOME }, { "\033OH", KEY_HOME }, { "\033[1~", KEY_HOME },
	{ "\033[F", KEY_END }, { "\033OF", KEY_END }, { "\033[4~", KEY_END },
};

/* Takes a sequence; KEY_NONE when what is there may be the start of one. */
static int take_sequence(void)
{
	bool starts = false;
	unsigned int i;
	size_t n;

	for (i = 0; i < ARRAY_SIZE(sequences); i++) {
		n = strlen(sequences[i].bytes);
		if (terminal.length >= n &&
		    !memcmp(terminal.input, sequences[i].bytes, n)) {
			drop(n);
			return sequences[i].key;
		}
		starts |= terminal.length < n &&
			  !memcmp(terminal.input, sequences[i].bytes,
				  terminal.length);
	}
	if (starts)
		return KEY_NONE;
	drop(1);
	return KEY_ESCAPE;
}

int terminal_key(void)
{
	bool gone = false;
	int key;

	if (!terminal.length && !fill(0, &gone))
		return gone ? KEY_END_OF_INPUT : KEY_NONE;
	if (terminal.input[0] != KEY_ESCAPE) {
		key = (unsigned char)terminal.input[0];
		drop(1);
		return key;
	}
	while ((key = take_sequence()) == KEY_NONE)
		if (!fill(SEQUENCE_MS, &gone)) {
			drop(1);
			return KEY_ESCAPE;
		}
	return key;
}
