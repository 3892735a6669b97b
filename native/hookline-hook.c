/*
 * hookline-hook HOST EVENT [--origin ID] [--deadline MS] [--detach]
 *
 * The program that other agents run for their hooks: takes what the agent says on stdin to hookline's daemon, and gives
 * the daemon's answer back. It reads no JSON. Where there is no answer it refuses in the agent's own words, which lie
 * beside it in files, or says nothing where no guard hangs on the event.
 *
 * It lies at HOME/bin/hookline-hook, where HOME is hookline's home; its files lie in HOME/bin/bridge:
 *   runtime              the program of the daemon: one word a line
 *   environment-HOST     the variables that hooks may see, one a line; `*` ends the beginning of a name
 *   refusal-HOST-EVENT   exit code, stdout and stderr, separated by NUL, with byte 1 where the reason goes
 *
 * The frames, the names of the socket and of the files beside it, and what is believed of them are those of
 * packages/bridge/src/client/place.ts and client.ts. One table of cases tests both clients.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#define PROTOCOL "1"
#define MOST_HEADER (256u * 1024)
#define MOST_INPUT (8u * 1024 * 1024)
#define MOST_ANSWER (16u * 1024 * 1024)
#define MOST_SOCKET 103
#define MOST_WORDS 8
#define MOST_TABLE (1024 * 1024)
#define MOST_CLAIM (64 * 1024)
#define MOST_PAUSE 128
#define LONGEST_PAUSE_S 3600
#define MOST_LINES 500
#define TABLE_HEAD "hookline table 2"
#define GRACE_MS 500
#define BEAT_MS 2000
#define MOST_MISSING 3
#define STARTING_S 10
#define STEP_NS 10000000L

extern char **environ;

static const char *host, *event, *origin = "", *detach = "";
static char home[PATH_MAX], folder[PATH_MAX];
static char name[17];
static long long deadline_ms = 58000, until_ms;

struct text {
  char *bytes;
  size_t length, room;
};

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * How long may still be waited, for poll. Never below 0: what has come by the end of the time is taken, however late this
 * process is let run.
 */
static int left_ms(void) {
  long long left = until_ms - now_ms();
  return left <= 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* Gives 0 where there is no memory left. */
static int add(struct text *text, const void *bytes, size_t length) {
  if (text->length + length + 1 > text->room) {
    size_t room = (text->length + length + 1) * 2;
    char *larger = realloc(text->bytes, room);
    if (larger == NULL) return 0;
    text->bytes = larger;
    text->room = room;
  }
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = 0;
  return 1;
}

static int add_field(struct text *text, const char *field) { return add(text, field, strlen(field) + 1); }

/* A text from its parts, of which NULL is the last; 0 where it is too long. */
static int join(char *into, size_t room, ...) {
  va_list parts;
  const char *part;
  size_t length = 0;
  va_start(parts, room);
  while ((part = va_arg(parts, const char *)) != NULL) {
    size_t more = strlen(part);
    if (length + more >= room) break;
    memcpy(into + length, part, more);
    length += more;
  }
  va_end(parts);
  into[length] = 0;
  return part == NULL;
}

/* A number in digits. */
static const char *digits_of(unsigned long long number) {
  static char digits[24];
  char *at = digits + sizeof digits - 1;
  do *--at = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  return at;
}

static int add_word(struct text *text, const char *word) { return add(text, word, strlen(word)); }

static int add_number(struct text *text, unsigned long long number) { return add_word(text, digits_of(number)); }

static int read_rest(int fd, struct text *into) {
  char piece[4096];
  ssize_t got;
  while ((got = read(fd, piece, sizeof piece)) > 0)
    if (into->length > MOST_ANSWER || !add(into, piece, (size_t)got)) break;
  close(fd);
  return got == 0 && into->bytes != NULL;
}

static int read_file(const char *path, struct text *into) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  return fd >= 0 && read_rest(fd, into);
}

/* Whether what was looked at is this user's, and no other may do this. */
static int is_ours(const struct stat *of, mode_t no) { return of->st_uid == geteuid() && (of->st_mode & no) == 0; }

/* Why a folder is not ours alone; NULL where it is. */
static const char *folder_problem(const char *path) {
  struct stat of;
  if (lstat(path, &of) != 0 || !S_ISDIR(of.st_mode)) return "the socket's folder is a link, or not a folder";
  return is_ours(&of, 077) ? NULL : "other users can use the socket's folder";
}

/* The text of a file in a folder; 0 unless both are ours alone. An ending such as `.table` stands for the daemon's file. */
static int read_own(const char *in, const char *file, size_t most, struct text *into) {
  char path[PATH_MAX];
  struct stat of;
  if (folder_problem(in) != NULL || !join(path, sizeof path, in, "/", file[0] == '.' ? name : "", file, NULL)) return 0;
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return 0;
  if (fstat(fd, &of) == 0 && S_ISREG(of.st_mode) && of.st_nlink == 1 && is_ours(&of, 077) && (size_t)of.st_size <= most)
    return read_rest(fd, into);
  close(fd);
  return 0;
}

static void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t put = write(fd, bytes, length);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    bytes += put;
    length -= (size_t)put;
  }
}

/* Writes a part of the refusal, with the reason in the places that are marked. */
static void write_marked(int fd, const char *part, const char *because) {
  for (; *part != 0; part++) {
    if (*part != 1) {
      size_t plain = strcspn(part, "\1");
      write_all(fd, part, plain);
      part += plain - 1;
      continue;
    }
    static const char begin[] = "hookline is not reachable (";
    write_all(fd, begin, sizeof begin - 1);
    write_all(fd, because, strlen(because));
    write_all(fd, ")", 1);
  }
}

/*
 * Why a socket is not ours alone, with its folder: a false daemon would answer for every guard. NULL where it is; `absent`
 * where there is none.
 */
static const char absent[] = "no socket is there";
static const char *socket_problem(const char *path) {
  struct stat of;
  if (lstat(folder, &of) != 0 && errno == ENOENT) return absent;
  const char *problem = folder_problem(folder);
  if (problem != NULL) return problem;
  if (lstat(path, &of) != 0) return errno == ENOENT ? absent : "the socket cannot be looked at";
  if (!S_ISSOCK(of.st_mode)) return "the file at the socket's path is not a socket";
  /* To connect is to write. */
  return is_ours(&of, 022) ? NULL : "other users can use the socket";
}

/* ---- What is believed while no daemon answers ---- */

/* Whether a fleet may have guards here: by the environment, or by what joining one leaves in the home. */
static int has_fleet(void) {
  char path[PATH_MAX];
  struct stat of;
  for (char **variable = environ; *variable != NULL; variable++)
    if (strncmp(*variable, "HOOKLINE_FLEET_", 15) == 0) return 1;
  return !join(path, sizeof path, home, "/fleet/fleet.json", NULL) || lstat(path, &of) == 0 || errno != ENOENT;
}

/* Whether HOOKLINE_HOME, where it is set, names the home that this client belongs to. */
static int is_at_home(void) {
  const char *named = getenv("HOOKLINE_HOME");
  struct stat of, own;
  if (named == NULL || strcmp(named, home) == 0) return 1;
  return stat(named, &of) == 0 && stat(home, &own) == 0 && of.st_dev == own.st_dev && of.st_ino == own.st_ino;
}

/* Whether the line of a path, `at DEVICE INODE SIZE CTIME PATH` or `absent PATH`, says what is there now. */
static int is_as_before(const char *line) {
  struct stat of;
  struct text now = {0};
  const char *path = strchr(line, ' ');
  for (int field = 0; path != NULL && line[1] == 't' && field < 4; field++) path = strchr(path + 1, ' ');
  if (path == NULL) return 0;
  if (stat(path + 1, &of) != 0) return line[1] == 'b';
#ifdef __APPLE__
  struct timespec changed = of.st_ctimespec;
#else
  struct timespec changed = of.st_ctim;
#endif
  unsigned long long numbers[] = {of.st_dev, of.st_ino, (unsigned long long)of.st_size,
                                  (unsigned long long)changed.tv_sec * 1000000000u + (unsigned long long)changed.tv_nsec};
  int fits = add_word(&now, "at");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    fits = fits && add_word(&now, " ") && add_number(&now, numbers[i]);
  return fits && add_word(&now, path) && strcmp(now.bytes, line) == 0;
}

/* Whether the line of a variable, `env NAME=VALUE` or `env NAME` where it is not set, says what it is now. */
static int is_set_as_before(char *line) {
  char *variable = line + 4, *value = strchr(variable, '=');
  if (value != NULL) *value = 0;
  const char *now = getenv(variable);
  return value == NULL ? now == NULL : now != NULL && strcmp(now, value + 1) == 0;
}

static int begins(const char *line, const char *with) { return strncmp(line, with, strlen(with)) == 0; }

/*
 * Returns the table's word on this event: 'o' where no guard hangs on this event, 'p' where only guards of the person or the
 * project do, else 'c'. Anything that may have changed since makes it 'c'.
 */
static int word_of_table(void) {
  static const char *words[] = {"open ", "own ", "closed "};
  struct text table = {0}, of = {0};
  int word = 0, count = 0;
  char socket_path[PATH_MAX];
  if (name[0] == 0 || !join(socket_path, sizeof socket_path, folder, "/", name, ".sock", NULL)) return 'c';
  const char *problem = socket_problem(socket_path);
  if ((problem != NULL && problem != absent) || has_fleet() || !is_at_home()) return 'c';
  if (!read_own(folder, ".table", MOST_TABLE, &table)) return 'c';
  if (strlen(table.bytes) != table.length || !begins(table.bytes, TABLE_HEAD "\n")) return 'c';
  if (table.length < 5 || strcmp(table.bytes + table.length - 5, "\nend\n") != 0) return 'c';
  if (!add_word(&of, host) || !add_word(&of, " ") || !add_word(&of, event)) return 'c';
  for (const char *at = table.bytes; (at = strchr(at, '\n')) != NULL; at++)
    if (++count > MOST_LINES) return 'c';
  char *line = table.bytes + sizeof TABLE_HEAD, *end = table.bytes + table.length - 4;
  for (char *next; line < end; line = next) {
    next = strchr(line, '\n') + 1;
    next[-1] = 0;
    int kind = 0;
    while (kind < 3 && !begins(line, words[kind])) kind++;
    if (kind < 3) {
      if (strcmp(line + strlen(words[kind]), of.bytes) != 0) continue;
      if (word != 0) return 'c';
      word = "opc"[kind];
    } else if (begins(line, "env ")) {
      if (!is_set_as_before(line)) return 'c';
    } else if (!(begins(line, "at ") || begins(line, "absent ")) || !is_as_before(line))
      return 'c';
  }
  return word == 0 ? 'c' : word;
}

/* The number behind a word of a line, of which the rest is given; -1 where there is none. */
static long long number_behind(const char **line, const char *word) {
  if (!begins(*line, word)) return -1;
  const char *number = *line + strlen(word);
  size_t digits = strspn(number, "0123456789");
  *line = number + digits;
  return digits < 10 || digits > 12 ? -1 : atoll(number);
}

/*
 * When the pause of the guards ends, in seconds of the system's clock; 0 where none is in force. Its file has one line,
 * `from SECONDS until SECONDS`.
 */
static long long paused_until(void) {
  char in[PATH_MAX];
  struct text text = {0};
  if (!join(in, sizeof in, home, "/run/bridge", NULL) || !read_own(in, "pause", MOST_PAUSE, &text)) return 0;
  const char *line = text.bytes;
  long long from = number_behind(&line, "from "), until = from < 0 ? -1 : number_behind(&line, " until ");
  if (until < from || until < 0 || until - from > LONGEST_PAUSE_S) return 0;
  if (line + 1 != text.bytes + text.length || *line != '\n') return 0;
  long long now = time(NULL);
  return from <= now && now < until ? until : 0;
}

/* Whether this event goes on without an answer; the person is told where that is so because of a pause. */
static int goes_on(void) {
  int word = word_of_table();
  long long until = word == 'p' ? paused_until() : 0;
  if (until == 0) return word == 'o';
  static char clock[] = "hookline: guards are paused until HH:MM UTC; this event was not judged\n";
  char *at = strchr(clock, 'H');
  int minutes = (int)(until / 60 % (24 * 60)), numbers[] = {minutes / 60, minutes % 60};
  for (int i = 0; i < 2; i++) {
    at[i * 3] = (char)('0' + numbers[i] / 10);
    at[i * 3 + 1] = (char)('0' + numbers[i] % 10);
  }
  write_all(2, clock, sizeof clock - 1);
  return 1;
}

/* Ends without an answer of the daemon. `because` holds nothing that JSON would write in another way. */
static void away(const char *because) {
  char path[PATH_MAX];
  struct text words = {0};
  if (goes_on()) _exit(0);
  if (join(path, sizeof path, home, "/bin/bridge/refusal-", host, "-", event, NULL) && read_file(path, &words)) {
    const char *out = memchr(words.bytes, 0, words.length);
    const char *err = out == NULL ? NULL : memchr(out + 1, 0, words.length - (size_t)(out + 1 - words.bytes));
    if (err != NULL) {
      write_marked(1, out + 1, because);
      write_marked(2, err + 1, because);
      _exit(atoi(words.bytes) & 255);
    }
  }
  write_marked(2, "\1\n", because);
  _exit(2);
}

/* ---- SHA-256 (FIPS 180-4) ---- */

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, int by) { return word >> by | word << (32 - by); }

static void sha_block(uint32_t state[8], const unsigned char *block) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[i * 4] << 24 | (uint32_t)block[i * 4 + 1] << 16 | (uint32_t)block[i * 4 + 2] << 8 |
           block[i * 4 + 3];
  for (int i = 16; i < 64; i++)
    w[i] = w[i - 16] + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
           (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
  memcpy(s, state, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t one = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                   ROUND[i] + w[i];
    uint32_t two = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) +
                   ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (int i = 0; i < 8; i++) state[i] += s[i];
}

/* The first characters of the digest in hexadecimal. */
static void digest(const struct text *text, char *hex, int characters) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char last[128] = {0};
  size_t whole = text->length / 64 * 64, rest = text->length - whole, padded = rest < 56 ? 64 : 128;
  for (size_t at = 0; at < whole; at += 64) sha_block(state, (const unsigned char *)text->bytes + at);
  memcpy(last, text->bytes + whole, rest);
  last[rest] = 0x80;
  uint64_t bits = (uint64_t)text->length * 8;
  for (int i = 0; i < 8; i++) last[padded - 1 - (size_t)i] = (unsigned char)(bits >> (8 * i));
  for (size_t at = 0; at < padded; at += 64) sha_block(state, last + at);
  for (int i = 0; i < characters; i++) hex[i] = "0123456789abcdef"[state[i / 8] >> (28 - i % 8 * 4) & 15];
  hex[characters] = 0;
}

/* ---- Where the daemon is ---- */

static void find_home(const char *called) {
  char real[PATH_MAX];
#ifdef __linux__
  /* The system has resolved this one. */
  ssize_t length = readlink("/proc/self/exe", real, sizeof real - 1);
  (void)called;
  if (length <= 0) away("its own program cannot be found");
  real[length] = 0;
#else
#ifdef __APPLE__
  char own[PATH_MAX];
  uint32_t room = sizeof own;
  if (_NSGetExecutablePath(own, &room) == 0) called = own;
#endif
  if (realpath(called, real) == NULL) away("its own program cannot be found");
#endif
  for (int up = 0; up < 2; up++) {
    char *end = strrchr(real, '/');
    if (end == NULL || end == real) away("it does not lie in the folder bin of a home");
    *end = 0;
  }
  strcpy(home, real);
}

static void find_place(const char *cwd) {
  struct text named = {0};
  const char *login = getenv("XDG_RUNTIME_DIR");
  int known = login != NULL && login[0] == '/' ? join(folder, sizeof folder, login, "/hookline", NULL)
                                                : join(folder, sizeof folder, home, "/run/bridge", NULL);
  if (!known || strlen(folder) + sizeof "/0123456789abcdef.sock" - 1 > MOST_SOCKET) {
    char of[9];
    if (!add(&named, home, strlen(home))) away("no memory");
    digest(&named, of, 8);
    join(folder, sizeof folder, "/tmp/hookline-", digits_of(geteuid()), "-", of, NULL);
    named.length = 0;
  }
  if (!add_field(&named, home) || !add_field(&named, cwd) || !add(&named, PROTOCOL, strlen(PROTOCOL)))
    away("no memory");
  digest(&named, name, 16);
}

static void check_peer(int fd) {
  uid_t peer;
#ifdef __linux__
  struct ucred of;
  socklen_t size = sizeof of;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &of, &size) != 0) away("the daemon's user is not known");
  peer = of.uid;
#else
  gid_t group;
  if (getpeereid(fd, &peer, &group) != 0) away("the daemon's user is not known");
#endif
  if (peer != geteuid()) away("another user's program answers in the place of the daemon");
}

/* ---- What is sent ---- */

/* Whether an entry names a variable: as it is, or by the beginning of its name with `*` behind it. */
static int names(const char *entry, const char *variable) {
  for (;; entry++, variable++) {
    if (*entry == 0) return *variable == '=';
    if (entry[0] == '*' && entry[1] == 0) return 1;
    if (*entry != *variable) return 0;
  }
}

static int is_allowed(const char *variable, char **allowed) {
  if (strchr(variable, '=') == NULL) return 0;
  for (; *allowed != NULL; allowed++)
    if (names(*allowed, variable)) return 1;
  return 0;
}

/* The lines of a file, ended by NULL; those of a file that is not there are none. */
static char **lines_of(const char *file) {
  char path[PATH_MAX];
  struct text text = {0};
  size_t count = 0;
  if (!join(path, sizeof path, home, "/bin/bridge/", file, NULL) || !read_file(path, &text)) return NULL;
  char **lines = calloc(text.length + 1, sizeof *lines);
  if (lines == NULL) return NULL;
  for (char *line = strtok(text.bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) lines[count++] = line;
  return lines;
}

/* The variables that go on, with hookline's home as this program knows it. */
static char **environment(void) {
  char file[128];
  size_t count = 0, kept = 0;
  static char own[PATH_MAX + 16];
  char **allowed = join(file, sizeof file, "environment-", host, NULL) ? lines_of(file) : NULL;
  if (allowed == NULL) away("files are missing; run `hookline bridge install` again");
  while (environ[count] != NULL) count++;
  char **all = calloc(count + 2, sizeof *all);
  if (all == NULL) away("no memory");
  join(own, sizeof own, "HOOKLINE_HOME=", home, NULL);
  all[kept++] = own;
  for (size_t i = 0; i < count; i++)
    if (strncmp(environ[i], "HOOKLINE_HOME=", 14) != 0 && is_allowed(environ[i], allowed)) all[kept++] = environ[i];
  return all;
}

static void put_length(char *at, size_t length) {
  for (int i = 0; i < 4; i++) at[i] = (char)(length >> (24 - 8 * i));
}

/* Both frames of the request. */
static struct text request_of(const char *cwd, char **variables) {
  struct text request = {0};
  static char input[65536], deadline[24], flags[64];
  /* Both are written in the same place. */
  join(deadline, sizeof deadline, digits_of((unsigned long long)deadline_ms), NULL);
  join(flags, sizeof flags, detach, "parent=", digits_of((unsigned long long)getppid()), NULL);
  const char *fields[] = {"hookline/" PROTOCOL, host, event, origin, cwd, deadline, flags};
  int fits = add(&request, "\0\0\0\0", 4);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) fits = fits && add_field(&request, fields[i]);
  for (; *variables != NULL; variables++) fits = fits && add_field(&request, *variables);
  if (!fits) away("no memory");
  /* No NUL ends the last field. */
  size_t header = --request.length - 4;
  if (header > MOST_HEADER) away("the environment is too large");
  put_length(request.bytes, header);
  size_t at = request.length;
  fits = add(&request, "\0\0\0\0", 4);
  for (;;) {
    struct pollfd in = {.fd = 0, .events = POLLIN};
    if (poll(&in, 1, left_ms()) == 0) away("the host did not end its input");
    ssize_t got = read(0, input, sizeof input);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) away("what the host sent cannot be read");
    if (got == 0) break;
    if (request.length - at - 4 + (size_t)got > MOST_INPUT) away("the host sent more than 8 MiB");
    if (!fits || !add(&request, input, (size_t)got)) away("no memory");
  }
  put_length(request.bytes + at, request.length - at - 4);
  return request;
}

/* ---- The daemon's start ---- */

static int is_first(void) {
  char path[PATH_MAX];
  struct stat of;
  if (!join(path, sizeof path, folder, "/", name, ".starting", NULL)) return 0;
  for (int tries = 0; tries < 2; tries++) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
      close(fd);
      return 1;
    }
    if (errno != EEXIST) away("the folder of the socket cannot be written");
    if (stat(path, &of) == 0 && time(NULL) - of.st_mtime < STARTING_S) return 0;
    unlink(path);
  }
  return 0;
}

/* Starts the daemon in this folder, as a process that nobody waits for; other clients see that it is started. */
static void start_daemon(void) {
  char above[PATH_MAX], **variables = environment();
  char *words[MOST_WORDS + 3];
  size_t count = 0;
  strcpy(above, folder);
  *strrchr(above, '/') = 0;
  mkdir(above, 0700);
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) away("the folder of the socket cannot be made");
  if (!is_first()) return;
  char **program = lines_of("runtime");
  if (program == NULL || program[0] == NULL) away("files are missing; run `hookline bridge install` again");
  while (program[count] != NULL && count < MOST_WORDS) words[count] = program[count], count++;
  words[count++] = "bridge";
  words[count++] = "daemon";
  words[count] = NULL;
  pid_t child = fork();
  if (child < 0) away("no process can be started");
  if (child > 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
  for (int fd = 3; fd < 256; fd++) close(fd);
  execve(words[0], words, variables);
  _exit(127);
}

/* ---- The exchange ---- */

/* ---- A daemon that hangs ---- */

/* The connection to the daemon's watchdog, and what the daemon says of itself; -2 where nothing is to be heard. */
static int watch = -1;
static struct text claim;

/*
 * Whether the watchdog was heard since the last look. It sends bytes however long a hook takes; a daemon of an earlier
 * version has none, and is taken for one that is there.
 */
static int is_heard(void) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  char bytes[64];
  if (watch == -1) {
    join(at.sun_path, sizeof at.sun_path, folder, "/", name, ".live", NULL);
    int is_there = socket_problem(at.sun_path) == NULL;
    if (claim.bytes == NULL && is_there) is_there = read_own(folder, ".pid", MOST_CLAIM, &claim);
    int fd = is_there ? socket(AF_UNIX, SOCK_STREAM, 0) : -1;
    if (fd < 0) {
      watch = -2;
      return 1;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0) {
      watch = fd;
      return 1;
    }
    int is_full = errno == EAGAIN;
    close(fd);
    if (!is_full) watch = -2;
    return !is_full;
  }
  if (watch == -2) return 1;
  ssize_t got = recv(watch, bytes, sizeof bytes, 0);
  if (got > 0) return 1;
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  watch = -2;
  return 1;
}

static int is_first(void);

/* The lines of a claim are the process, the version, since when with the process's identity, and the folder. */
static int is_still(const char *pid) {
  char path[64];
  struct stat of;
  struct text stat_of = {0}, now = {0}, is = {0};
  const char *about = strchr(claim.bytes, '\n');
  about = about == NULL ? NULL : strchr(about + 1, '\n');
  about = about == NULL ? NULL : strchr(about + 1, ' ');
  if (about == NULL || !read_own(folder, ".pid", MOST_CLAIM, &is) || strcmp(is.bytes, claim.bytes) != 0) return 0;
  if (!join(path, sizeof path, "/proc/", pid, "/stat", NULL) || !read_file(path, &stat_of)) return 0;
  char *field = strrchr(stat_of.bytes, ')'), *end;
  /* The start is the 22nd field; the second may hold brackets and blanks. */
  for (int i = 0; field != NULL && i < 20; i++) field = strchr(field + 1, ' ');
  if (field == NULL || (end = strchr(field + 1, ' ')) == NULL) return 0;
  *end = 0;
  if (!join(path, sizeof path, "/proc/", pid, "/exe", NULL) || stat(path, &of) != 0) return 0;
  int fits = add_word(&now, field) && add_word(&now, " ") && add_number(&now, of.st_dev) && add_word(&now, ":") &&
             add_number(&now, of.st_ino) && add_word(&now, "\n");
  return fits && begins(about, now.bytes);
}

/* Ends a daemon that hangs, if the process is still the one that has made the claim; 0 while another client does so. */
static int end_hung(void) {
  char pid[16], path[PATH_MAX];
  size_t digits = claim.bytes == NULL ? 0 : strspn(claim.bytes, "0123456789");
  if (!is_first()) return 0;
  int is_ended = 0;
  if (digits > 0 && digits < sizeof pid) {
    memcpy(pid, claim.bytes, digits);
    pid[digits] = 0;
    is_ended = atoi(pid) > 1 && is_still(pid) && kill(atoi(pid), SIGKILL) == 0;
  }
  if (join(path, sizeof path, folder, "/", name, ".starting", NULL)) unlink(path);
  if (!is_ended) away("the daemon hangs");
  watch = -2;
  return 1;
}

static void wait_for(int fd, short events) {
  struct pollfd of = {.fd = fd, .events = events};
  for (int missing = 0;;) {
    int left = left_ms(), is_last = left <= BEAT_MS, ready = poll(&of, 1, is_last ? left : BEAT_MS);
    if (ready > 0) return;
    if (ready == 0 && is_last) away("no answer in time");
    if (ready < 0 && errno != EINTR) away("the connection failed");
    if (ready < 0) continue;
    missing = is_heard() ? 0 : missing + 1;
    if (missing >= MOST_MISSING && end_hung()) missing = 0;
  }
}

/* A connection to the daemon, which is started where none listens. */
static int reach(void) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  int started = 0;
  join(at.sun_path, sizeof at.sun_path, folder, "/", name, ".sock", NULL);
  for (;;) {
    const char *problem = socket_problem(at.sun_path);
    if (problem != NULL && problem != absent) away(problem);
    if (problem == NULL) {
      int fd = socket(AF_UNIX, SOCK_STREAM, 0);
      if (fd < 0) away("no socket can be made");
      fcntl(fd, F_SETFL, O_NONBLOCK);
      if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0) {
        check_peer(fd);
        return fd;
      }
      int why = errno;
      close(fd);
      /* EAGAIN: more clients wait than the daemon has taken yet. */
      if (why != ECONNREFUSED && why != ENOENT && why != EAGAIN && why != EINTR) away("the connection failed");
      if (why != EAGAIN && !started++) start_daemon();
    } else if (!started++)
      start_daemon();
    if (now_ms() >= until_ms) away("no daemon could be reached in time");
    nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
  }
}

/* 0 when the daemon went away before it had all of the request. */
static int send_request(int fd, const struct text *request) {
  for (size_t sent = 0; sent < request->length;) {
    ssize_t put = send(fd, request->bytes + sent, request->length - sent,
#ifdef MSG_NOSIGNAL
                       MSG_NOSIGNAL
#else
                       0
#endif
    );
    if (put > 0) sent += (size_t)put;
    else if (errno == EAGAIN || errno == EINTR) wait_for(fd, POLLOUT);
    else if (errno == EPIPE || errno == ECONNRESET) return 0;
    else away("the connection failed");
  }
  return 1;
}

/* Bytes of the answer that have come and were not asked for yet. */
static char ahead[4096];
static size_t ahead_at, ahead_end;

/* Waits for the answer; 0 when the daemon went away with a part of the request unread, which the system calls a reset. */
static int is_read(int fd) {
  wait_for(fd, POLLIN);
  ssize_t got = recv(fd, ahead, sizeof ahead, 0);
  if (got < 0 && errno == ECONNRESET) return 0;
  ahead_end = got > 0 ? (size_t)got : 0;
  return 1;
}

static void receive(int fd, char *into, size_t length) {
  while (length > 0) {
    if (ahead_at < ahead_end) {
      size_t part = ahead_end - ahead_at < length ? ahead_end - ahead_at : length;
      memcpy(into, ahead + ahead_at, part);
      ahead_at += part;
      into += part;
      length -= part;
      continue;
    }
    ssize_t got = recv(fd, ahead, sizeof ahead, 0);
    ahead_at = 0;
    ahead_end = got > 0 ? (size_t)got : 0;
    if (got > 0) continue;
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) away("the connection ended before the answer");
    wait_for(fd, POLLIN);
  }
}

/* One frame of the answer; a NUL is put behind it. */
static struct text frame(int fd, size_t most) {
  unsigned char length[4];
  receive(fd, (char *)length, sizeof length);
  struct text text = {.length = (size_t)length[0] << 24 | (size_t)length[1] << 16 | (size_t)length[2] << 8 | length[3]};
  if (text.length > most) away("the answer is too large");
  text.bytes = malloc(text.length + 1);
  if (text.bytes == NULL) away("no memory");
  receive(fd, text.bytes, text.length);
  text.bytes[text.length] = 0;
  return text;
}

static int is_name(const char *text) {
  size_t length = strlen(text);
  return length > 0 && length < 64 &&
         strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") == length;
}

static void read_words(int count, char **words) {
  static const char usage[] = "usage: hookline-hook HOST EVENT [--origin ID] [--deadline MS] [--detach]\n";
  int fits = count >= 3 && is_name(words[1]) && is_name(words[2]);
  for (int i = 3; fits && i < count; i++) {
    const char *value = i + 1 < count ? words[i + 1] : NULL;
    if (strcmp(words[i], "--detach") == 0) detach = "detach ";
    else if (strcmp(words[i], "--origin") == 0 && value != NULL) origin = words[++i];
    else if (strcmp(words[i], "--deadline") == 0 && value != NULL) {
      deadline_ms = atoll(words[++i]);
      fits = deadline_ms > 0 && deadline_ms < INT_MAX;
    } else fits = 0;
  }
  if (!fits) {
    write_all(2, usage, sizeof usage - 1);
    _exit(2);
  }
  host = words[1];
  event = words[2];
}

int main(int count, char **words) {
  char cwd[PATH_MAX];
  read_words(count, words);
  until_ms = now_ms() + deadline_ms + GRACE_MS;
  find_home(words[0]);
  if (getcwd(cwd, sizeof cwd) == NULL) away("the working folder is gone");
  find_place(cwd);
  /* Before the input is read: the daemon takes the connection meanwhile. */
  int fd = reach();
  struct text request = request_of(cwd, environment());
  /* A daemon that was killed before it had read the request has run no hook: the next one is asked. */
  for (int tries = 0; !send_request(fd, &request) || !is_read(fd); tries++) {
    if (tries > 0) away("the connection ended before the request was read");
    close(fd);
    fd = reach();
  }
  struct text code = frame(fd, 3), out = frame(fd, MOST_ANSWER), err = frame(fd, MOST_ANSWER);
  size_t digits = strspn(code.bytes, "0123456789");
  if (digits == 0 || digits != code.length || atoi(code.bytes) > 255) away("the answer cannot be read");
  write_all(1, out.bytes, out.length);
  write_all(2, err.bytes, err.length);
  return atoi(code.bytes);
}
