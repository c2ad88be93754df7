// SPDX-License-Identifier: Apache-2.0
#include "ensemble/execution_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/date.h"
#include "file/durable.h"
#include "sim/end.h"

enum sciara_status sciara_execution_log_add(const struct sciara_ensemble *e, size_t member,
                                            const struct sciara_footprint *f) {
  static const char head[] =
      "ended_utc,id,batch,host,process,seconds,stop,failed,censored,end_s,steps,cell_steps,checksum\n";
  char *path = sciara_path_join(e->folder, SCIARA_ENSEMBLE_LOG), now[SCIARA_DATE_SIZE], host[64] = "", line[512];
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the name of a file");
  if (gethostname(host, sizeof host - 1) != 0) *host = '\0';
  sciara_date_now(now);
  snprintf(line, sizeof line, "%s,%" PRId64 ",%zu,%s,%ld,%.6g,%s,%d,%d,%.17g,%" PRIu64 ",%" PRIu64 ",%016" PRIx64 "\n",
           now, f->id, member / e->batch_size, host, (long)getpid(), f->seconds, sciara_end_name(f->stop), f->failed,
           f->censored, f->end_s, f->steps, f->cell_steps, f->checksum);
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat about;
  if (fd >= 0) flock(fd, LOCK_EX); // best effort: where there are no locks, the head may stand twice
  bool written = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  if (written && about.st_size == 0) written = write(fd, head, sizeof head - 1) == (ssize_t)(sizeof head - 1);
  if (written) written = write(fd, line, strlen(line)) == (ssize_t)strlen(line); // one write: lines do not mix
  enum sciara_status status = SCIARA_OK;
  if (!written) status = sciara_fail(SCIARA_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  free(path);
  return status;
}
