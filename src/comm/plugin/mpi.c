// SPDX-License-Identifier: Apache-2.0
// The plugin: the only file that includes mpi.h. It uses nothing of the library.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/mpi_plugin.h"

enum { LONGEST = 1 << 30 }; // bytes of one message of MPI, which counts in int

static MPI_Request *requests;
static int count, room;

static int begin(int *rank, int *size) {
  int provided;
  int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (error == MPI_SUCCESS) error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(MPI_COMM_WORLD, size);
  return error;
}

static int post_piece(const struct sciara_comm_message *m, size_t at, int bytes, int tag) {
  if (count == room) {
    MPI_Request *more = realloc(requests, (size_t)(2 * room + 16) * sizeof(MPI_Request));
    if (!more) return MPI_ERR_NO_MEM;
    requests = more;
    room = 2 * room + 16;
  }
  char *data = (char *)m->data + at;
  MPI_Request *request = &requests[count++];
  return m->receive ? MPI_Irecv(data, bytes, MPI_BYTE, m->rank, tag, MPI_COMM_WORLD, request)
                    : MPI_Isend(data, bytes, MPI_BYTE, m->rank, tag, MPI_COMM_WORLD, request);
}

static int post(const struct sciara_comm_message *messages, int messages_count, enum sciara_mpi_kind kind) {
  int error = MPI_SUCCESS;
  for (int k = 0; k < messages_count; k++) {
    const struct sciara_comm_message *m = &messages[k];
    size_t at = 0;
    do {
      const size_t left = m->bytes - at, piece = left < LONGEST ? left : LONGEST;
      error = post_piece(m, at, (int)piece, (int)kind);
      at += piece;
    } while (error == MPI_SUCCESS && at < m->bytes);
    if (error != MPI_SUCCESS) break;
  }
  return error;
}

static int test(bool *done) {
  int all = 0;
  const int error = MPI_Testall(count, requests, &all, MPI_STATUSES_IGNORE);
  *done = all != 0;
  if (all) count = 0;
  return error;
}

static int end(void) {
  free(requests);
  requests = NULL;
  return MPI_Finalize();
}

static void end_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

static void explain(int error, char *text, size_t size) {
  char all[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, all, &length);
  snprintf(text, size, "%s", all);
}

static void library(char *text, size_t size) {
  char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(all, &length);
  all[strcspn(all, ",\n")] = '\0'; // "Open MPI v4.1.4, package: ..."
  snprintf(text, size, "%s", all);
}

__attribute__((visibility("default")))
const struct sciara_mpi sciara_mpi_table = {SCIARA_VERSION, begin, post, test, end, end_all, explain, library};
