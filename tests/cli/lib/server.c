// SPDX-License-Identifier: Apache-2.0
// The program, started once and forked for each command line: loading its hundred libraries takes longer than most of
// the tests of the command line. server.py talks to it.
//
//   sciara_server SOCKET     number of a descriptor; SOCK_SEQPACKET
//
// A request is one packet of words, each ended by NUL: "NAME=VALUE" for the environment, an empty word, the current folder,
// the command line; with descriptors for standard output, standard error and, if it is not empty, standard input. The reply
// is the status that waitpid gives, as an int. If a library loaded before the program has a function shim_start (tests/faults/shim.h), it is called
// before the command.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 16, MOST_WORDS = 256 };

int sciara_main(int argc, char **argv);

/** Bytes of a request; 0 at the end, -1 if it is invalid. An absent descriptor is -1. */
static ssize_t receive(int socket, char *text, int descriptors[3]) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(3 * sizeof(int))];
  } control;
  struct iovec data = {.iov_base = text, .iov_len = MOST_BYTES - 1};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
  const ssize_t count = recvmsg(socket, &message, 0);
  if (count <= 0) return count;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) return -1;
  descriptors[2] = -1;
  memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  return count;
}

static _Noreturn void give_up(const char *what) {
  perror(what);
  _exit(127);
}

static void start_shim(void) {
  void *found = dlsym(RTLD_DEFAULT, "shim_start");
  void (*start)(void);
  memcpy(&start, &found, sizeof start); // ISO C has no cast between such pointers
  if (start) start();
}

static void close_all(const int descriptors[3]) {
  for (int k = 0; k < 3; k++)
    if (descriptors[k] >= 0) close(descriptors[k]);
}

static void run(int socket, char *text, ssize_t count, const int descriptors[3]) {
  char *words[MOST_WORDS + 1], *at = text;
  int found = 0;
  for (; at < text + count && *at; at += strlen(at) + 1)
    if (putenv(at) != 0) give_up("sciara_server: the environment");
  for (at++; at < text + count && found < MOST_WORDS; at += strlen(at) + 1) words[found++] = at;
  words[found] = NULL;
  if (found < 2 || chdir(words[0]) != 0) give_up("sciara_server: the folder");
  dup2(descriptors[0], STDOUT_FILENO);
  dup2(descriptors[1], STDERR_FILENO);
  if (descriptors[2] >= 0) dup2(descriptors[2], STDIN_FILENO);
  close_all(descriptors);
  close(socket);
  start_shim();
  const int code = sciara_main(found - 1, words + 1);
#ifdef SCIARA_WATCHED // leaks and executed lines are reported by exit()
  exit(code);
#else
  fflush(NULL);
  _exit(code); // exit() would touch the memory of all libraries: it takes longer than many commands
#endif
}

int main(int argc, char **argv) {
  static char text[MOST_BYTES];
  int descriptors[3], status;
  const int socket = argc == 2 ? atoi(argv[1]) : -1;
  ssize_t count;
  while ((count = receive(socket, text, descriptors)) > 0) {
    text[count] = '\0';
    const pid_t child = fork();
    if (child == 0) run(socket, text, count, descriptors);
    close_all(descriptors);
    if (child < 0 || waitpid(child, &status, 0) != child || send(socket, &status, sizeof status, 0) < 0) {
      perror("sciara_server");
      return EXIT_FAILURE;
    }
  }
  return count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
