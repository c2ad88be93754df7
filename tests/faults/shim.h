// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD between the program and the system: it kills the program, makes calls fail, or records what the
// program does to the files of one folder. Purpose: README.md.
//
// Environment:
//   SCIARA_SHIM_ROOT   absolute path of the folder; calls on other paths are neither counted nor changed
//   SCIARA_SHIM_PLAN   the planned fault, "WORD NUMBER [ERRNO]":
//     kill K           SIGKILL instead of the K-th call
//     torn K           the same, after half of the bytes if it writes
//     fail K ERRNO     the K-th call fails; a close still closes the descriptor
//     fail-on K ERRNO  so do all calls after it that can fail
//     short K          the K-th call, if it writes, moves half of the bytes
//     budget BYTES     the files may contain so many bytes in all, then ENOSPC
//     malloc K         the K-th request of the program itself for memory fails
//   SCIARA_SHIM_LOG    file for the calls that succeeded, and what was printed on standard output (shim_log.c)
//   SCIARA_SHIM_COUNT  file for struct shim_counts, up to date even when the process was killed
//   SCIARA_SHIM_LATE   if set, nothing is counted or changed, and the environment is not read, before shim_start
#ifndef SCIARA_TESTS_SHIM_H
#define SCIARA_TESTS_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SHIM_SITES = 1024 };

/** What the tests read about a process; lib/shim.py knows the layout. */
struct shim_counts {
  uint64_t calls;    ///< those that can be killed or made to fail
  uint64_t mallocs;  ///< requests of the program itself for memory
  uint64_t live;     ///< bytes that the process has from malloc
  uint64_t peak;     ///< peak of `live`
  uint64_t done;     ///< how often the plan was carried out
  uint64_t resident; ///< peak of resident bytes, of a process that was not killed
  uint64_t sites;    ///< places of the program that request memory
  struct {
    uint64_t address, first, last; ///< of the call; the numbers of its first and its last request
  } site[SHIM_SITES];
};

enum shim_kind {
  SHIM_OPEN = 'O',
  SHIM_WRITE = 'W',
  SHIM_TRUNCATE = 'T',
  SHIM_SYNC = 'S',
  SHIM_RENAME = 'R',
  SHIM_UNLINK = 'U',
  SHIM_MKDIR = 'M',
  SHIM_RMDIR = 'D',
  SHIM_CLOSE = 'C',
  SHIM_SAY = 'A' ///< text on standard output
};

/** In the log: a call of that kind that failed and changed nothing. */
static inline enum shim_kind shim_failed(enum shim_kind kind) { return (enum shim_kind)(kind | 0x20); }

/** One call in the log: this, then the path, the second path, the data. */
struct shim_record {
  uint32_t kind;
  int32_t fd;
  int64_t offset; ///< of a write; of a truncation the size; of an open the flags
  uint32_t path, path2;
  uint64_t data;
};

enum shim_word { SHIM_NOTHING, SHIM_KILL, SHIM_TORN, SHIM_FAIL, SHIM_FAIL_ON, SHIM_SHORT, SHIM_BUDGET, SHIM_MALLOC };

extern struct shim_counts *shim_counts;
extern enum shim_word shim_word;
extern uint64_t shim_number;
extern int shim_errno;

/** Takes and releases the lock under which a call is counted, done and logged. */
void shim_enter(void);
void shim_leave(void);

/** The path with its folder resolved, if it lies below the root; otherwise false. Both buffers have PATH_MAX bytes. */
bool shim_is_ours(const char *path, char *resolved);

enum shim_action { SHIM_GO, SHIM_HALF, SHIM_REFUSE };

/** Counts a call on the root and decides what happens to it. May not return. SHIM_REFUSE: errno is set. */
enum shim_action shim_count(enum shim_kind kind);

/** Ends the process as a loss of power would do. */
_Noreturn void shim_die(void);

/** Carried out: half of the bytes of a torn write are written. */
bool shim_is_torn(void);

void shim_log(enum shim_kind kind, int fd, int64_t offset, const char *path, const char *path2, const void *data,
              size_t count);

/** Reads the environment, once. */
void shim_begin(void);

/** Ends the effect of SCIARA_SHIM_LATE; for a process that is forked instead of started. */
void shim_start(void);

/** Whether SCIARA_SHIM_LATE has effect. */
bool shim_is_late(void);

/** Finds the code whose requests for memory are counted. */
void shim_find_code(void);

#endif
