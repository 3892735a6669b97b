/*
 * The least that running shell hooks can cost: posix_spawn of `sh -c`, pipes, a payload in, an answer out, waitpid.
 * For each line "rounds width" on stdin it runs `width` hooks at once, `rounds` times, and prints the nanoseconds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct hook {
  pid_t pid;
  int output;
  int errors;
};

static void must(int bad, const char *what) {
  if (!bad) return;
  perror(what);
  exit(1);
}

static void drain(int fd) {
  char buffer[65536];
  ssize_t got;
  while ((got = read(fd, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
  }
  close(fd);
}

static struct hook start(char *command, const char *payload) {
  int in[2], out[2], err[2];
  must(pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC), "pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t broken;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &broken);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  char *args[] = {"sh", "-c", command, NULL};
  struct hook hook = {0, out[0], err[0]};
  must(posix_spawn(&hook.pid, "/bin/sh", &actions, &attributes, args, environ), "posix_spawn");
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  must(write(in[1], payload, strlen(payload)) < 0 && errno != EPIPE, "write");
  close(in[1]);
  return hook;
}

static void finish(struct hook hook) {
  drain(hook.output);
  drain(hook.errors);
  must(waitpid(hook.pid, NULL, 0) < 0, "waitpid");
}

int main(int argc, char **argv) {
  must(argc != 3, "usage: spawn-floor COMMAND PAYLOAD");
  /* A hook may end before it has read everything. */
  signal(SIGPIPE, SIG_IGN);
  long rounds;
  int width;
  struct hook hooks[64];
  while (scanf("%ld %d", &rounds, &width) == 2 && width <= 64) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (long round = 0; round < rounds; round++) {
      for (int i = 0; i < width; i++) hooks[i] = start(argv[1], argv[2]);
      for (int i = 0; i < width; i++) finish(hooks[i]);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + (to.tv_nsec - from.tv_nsec));
    fflush(stdout);
  }
  return 0;
}
