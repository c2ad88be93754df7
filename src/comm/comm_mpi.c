// SPDX-License-Identifier: Apache-2.0
// Ranks that a launcher of MPI has started. Nothing blocks inside MPI: every wait has an end, and notices if a process of
// this host has ended.
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/wallclock.h"
#include "comm/mpi_plugin.h"
#include "comm/vote.h"

static const double look_every = 0.2;            // s between two looks at the processes of this host
static const double spin = 30e-6, yield = 20e-3; // s of waiting that a core is kept, and that it is only lent
static const long nap = 50000;                   // ns

/** Who a rank is. */
struct peer {
  char version[96], host[64];
  int64_t process;
  uint64_t space; ///< of process numbers: 0 if it is unknown
  uint64_t cores; ///< a hash of those that it may use
  double timeout; ///< s; that of rank 0 counts. 0: it is wrong
};

struct mpi_comm {
  struct sciara_comm base;
  const struct sciara_mpi *mpi;
  struct peer *peer;
  bool crowded; ///< more ranks than cores
  double looked;
};

// ---------------------------------------------------------------------------------------------------------- the plugin

/** Loads the plugin, once. NULL, with the reason: it cannot be. */
static const struct sciara_mpi *load(char *why, size_t size) {
  static const struct sciara_mpi *loaded;
  static void *plugin; // stays loaded
  Dl_info self;
  char path[4096];
  if (loaded) return loaded;
  if (!dladdr((void *)(uintptr_t)&sciara_comm_mpi, &self) || !self.dli_fname) {
    snprintf(why, size, "the folder of the library is unknown");
    return NULL;
  }
  const char *slash = strrchr(self.dli_fname, '/');
  const int length = slash ? (int)(slash - self.dli_fname) : 1;
  snprintf(path, sizeof path, "%.*s/sciara-comm/mpi.so", length, slash ? self.dli_fname : ".");
  if (access(path, F_OK) != 0) {
    snprintf(why, size, "this program was built without MPI (there is no %s)", path);
    return NULL;
  }
  plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL); // parts of MPI that it loads itself need its symbols
  const struct sciara_mpi *mpi = plugin ? (const struct sciara_mpi *)dlsym(plugin, SCIARA_MPI_TABLE) : NULL;
  if (!mpi)
    snprintf(why, size, "%s", dlerror());
  else if (strcmp(mpi->version, SCIARA_VERSION) != 0)
    snprintf(why, size, "%s belongs to version %s of the program, this is %s", path, mpi->version, SCIARA_VERSION);
  else
    loaded = mpi;
  return loaded;
}

const char *sciara_comm_mpi_version(char *why, size_t size) {
  static char text[128];
  const struct sciara_mpi *mpi = load(why, size);
  if (mpi) mpi->library(text, sizeof text);
  return mpi ? text : NULL;
}

static int number_in(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : -1;
}

int sciara_comm_launched(int *rank) {
  static const char *const launchers[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, // mpirun of Open MPI
                                             {"PMI_SIZE", "PMI_RANK"},                         // mpiexec of MPICH
                                             {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}};           // srun --mpi=pmix
  for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
    const int size = number_in(launchers[k][0]);
    *rank = number_in(launchers[k][1]);
    if (size > 1 && *rank >= 0 && *rank < size) return size;
  }
  *rank = 0;
  return 1;
}

// -------------------------------------------------------------------------------------------------------------- waits

static enum sciara_status lose(struct mpi_comm *c, const char *why) {
  c->base.lost = true;
  return sciara_fail(SCIARA_ERR_DEVICE, "%s", why);
}

static enum sciara_status report(struct mpi_comm *c, int error) {
  char text[512];
  if (error == 0) return SCIARA_OK;
  c->mpi->explain(error, text, sizeof text);
  return lose(c, text);
}

/** Fails if a process of this host has ended. */
static enum sciara_status look_around(struct mpi_comm *c) {
  const struct peer *me = &c->peer[c->base.rank];
  for (int k = 0; k < c->base.size; k++) {
    const struct peer *other = &c->peer[k];
    char why[256];
    if (me->space == 0 || other->space != me->space || strcmp(other->host, me->host) != 0) continue;
    if (kill((pid_t)other->process, 0) == 0 || errno != ESRCH) continue;
    snprintf(why, sizeof why, "rank %d of %d (process %" PRId64 " on %s) has ended", k, c->base.size, other->process,
             other->host);
    return lose(c, why);
  }
  return SCIARA_OK;
}

/** Lets others work while this rank waits: for a step not long, for a command longer. */
static void rest(const struct mpi_comm *c, double waited, bool idle) {
  if (waited < (c->crowded ? 0 : spin)) return;
  if (waited < yield && !(idle && waited > 1e-3)) {
    sched_yield();
    return;
  }
  const struct timespec time = {.tv_nsec = idle ? 4 * nap : nap};
  nanosleep(&time, NULL);
}

/** Waits for all that was posted. */
static enum sciara_status wait_all(struct mpi_comm *c, double patience) {
  const double begin = sciara_wallclock();
  for (;;) {
    bool done;
    SCIARA_TRY(report(c, c->mpi->test(&done)));
    if (done) return SCIARA_OK;
    const double now = sciara_wallclock();
    if (now - begin > patience) {
      char why[256];
      snprintf(why, sizeof why, "rank %d of %d: no answer from another rank for %g s", c->base.rank, c->base.size,
               patience);
      return lose(c, why);
    }
    if (now - c->looked > look_every && c->peer) {
      c->looked = now;
      SCIARA_TRY(look_around(c));
    }
    rest(c, now - begin, isinf(patience));
  }
}

// ------------------------------------------------------------------------------------------------------------ the table

static enum sciara_status start(struct sciara_comm *base, const struct sciara_comm_message *messages, int count) {
  struct mpi_comm *c = (struct mpi_comm *)base;
  if (base->lost) return sciara_fail(SCIARA_ERR_DEVICE, "another rank was lost before");
  return report(c, c->mpi->post(messages, count, SCIARA_MPI_MESSAGE));
}

static enum sciara_status finish(struct sciara_comm *base, double patience) {
  return wait_all((struct mpi_comm *)base, patience);
}

/**
 * In round k each rank hears the one 2^k before it: after the last round it has heard all. It may have heard some twice, which
 * changes no minimum and no flag. A third of the time of MPI_Iallreduce with two ranks.
 */
static enum sciara_status vote(struct sciara_comm *base, int ranks, uint64_t *vote) {
  struct mpi_comm *c = (struct mpi_comm *)base;
  if (base->lost) return sciara_fail(SCIARA_ERR_DEVICE, "another rank was lost before");
  for (int distance = 1; distance < ranks; distance *= 2) {
    uint64_t mine = *vote, heard = 0;
    const struct sciara_comm_message m[2] = {
        {.rank = (base->rank + distance) % ranks, .data = &mine, .bytes = sizeof mine},
        {.rank = (base->rank - distance + ranks) % ranks, .receive = true, .data = &heard, .bytes = sizeof heard}};
    SCIARA_TRY(report(c, c->mpi->post(m, 2, SCIARA_MPI_VOTE)));
    SCIARA_TRY(wait_all(c, base->timeout));
    *vote = sciara_vote_merge(*vote, heard);
  }
  return SCIARA_OK;
}

static void close_mpi(struct sciara_comm *base, int code) {
  struct mpi_comm *c = (struct mpi_comm *)base;
  if (base->lost)
    c->mpi->end_all(code != 0 ? code : SCIARA_ERR_DEVICE); // does not return
  else
    c->mpi->end();
  sciara_free(c->peer);
  sciara_free(c);
}

// --------------------------------------------------------------------------------------------------------------- begin

static struct peer describe_self(void) {
  struct peer p = {.process = getpid()};
  struct stat space;
  cpu_set_t cores;
  snprintf(p.version, sizeof p.version, "%s (%s)", SCIARA_VERSION, SCIARA_GIT_HASH);
  gethostname(p.host, sizeof p.host - 1);
  if (stat("/proc/self/ns/pid", &space) == 0) p.space = (uint64_t)space.st_ino;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    p.cores = sciara_hash_bytes(SCIARA_HASH_BEGIN, &cores, sizeof cores);
  return p;
}

/** SCIARA_COMM_TIMEOUT of the environment, s, else the default. 0 if it is wrong. */
static enum sciara_status read_timeout(double *out) {
  const char *text = getenv("SCIARA_COMM_TIMEOUT");
  char *end = NULL;
  *out = SCIARA_COMM_TIMEOUT;
  if (!text) return SCIARA_OK;
  *out = strtod(text, &end);
  if (end != text && *end == '\0' && *out >= 1 && *out <= 1e6) return SCIARA_OK;
  *out = 0;
  return sciara_fail(SCIARA_ERR_USAGE, "SCIARA_COMM_TIMEOUT: found \"%s\", expected 1 to 1e6 seconds", text);
}

/** Tells all ranks who the others are and what timeout rank 0 was given, and counts those on this host. */
static enum sciara_status meet(struct mpi_comm *c) {
  struct sciara_comm *b = &c->base;
  struct peer me = describe_self();
  struct peer *all;
  cpu_set_t cores;
  if (b->rank == 0) (void)read_timeout(&me.timeout); // an error: once all know
  SCIARA_TRY(SCIARA_NEW(all, b->size, "ranks"));
  enum sciara_status status = sciara_comm_gather(b, &me, sizeof me, all);
  if (status == SCIARA_OK) status = sciara_comm_broadcast(b, all, (size_t)b->size * sizeof *all);
  if (status != SCIARA_OK) {
    sciara_free(all);
    return status;
  }
  c->peer = all;
  if (all[0].timeout <= 0)
    return b->rank == 0 ? read_timeout(&b->timeout) : sciara_fail(SCIARA_ERR_USAGE, "rank 0 ends all");
  b->timeout = all[0].timeout;
  for (int k = 0; k < b->size; k++) {
    const bool here = strcmp(all[k].host, me.host) == 0;
    if (here) b->on_host++;
    if (here && all[k].cores == me.cores) b->neighbours++;
    if (strcmp(all[k].version, me.version) == 0) continue;
    b->lost = true;
    return sciara_fail(SCIARA_ERR_DEVICE, "rank %d on %s is sciara %s, rank %d on %s is %s: expected the same program",
                       k, all[k].host, all[k].version, b->rank, me.host, me.version);
  }
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) c->crowded = b->neighbours > CPU_COUNT(&cores);
  return look_around(c);
}

enum sciara_status sciara_comm_mpi(struct sciara_comm **out) {
  static const struct sciara_comm_ops ops = {"mpi", vote, start, finish, close_mpi};
  char why[4200];
  int launched_rank;
  *out = NULL;
  const struct sciara_mpi *mpi = load(why, sizeof why);
  if (!mpi) return sciara_fail(SCIARA_ERR_DEVICE, "MPI: %s", why);
  struct mpi_comm *c;
  SCIARA_TRY(SCIARA_NEW(c, 1, "ranks"));
  c->mpi = mpi;
  c->base = (struct sciara_comm){.ops = &ops, .timeout = SCIARA_COMM_TIMEOUT};
  enum sciara_status status = report(c, mpi->begin(&c->base.rank, &c->base.size));
  const int launched = sciara_comm_launched(&launched_rank);
  if (status == SCIARA_OK && launched != c->base.size) {
    char library[128];
    mpi->library(library, sizeof library);
    status = sciara_fail(SCIARA_ERR_DEVICE,
                         "MPI: the launcher has started %d processes, %s knows of %d: the launcher "
                         "belongs to another MPI",
                         launched, library, c->base.size);
    c->base.lost = true;
  }
  if (status == SCIARA_OK) status = meet(c);
  if (status != SCIARA_OK) {
    if (status == SCIARA_ERR_USAGE) c->mpi->end(); // all ranks do; one alone would wait for the others
    sciara_free(c->peer);
    sciara_free(c);
    return status;
  }
  *out = &c->base;
  return SCIARA_OK;
}
