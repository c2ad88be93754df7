// SPDX-License-Identifier: Apache-2.0
// The formats that hold all snapshots of a run: NetCDF, CSV.
#include "analysis/timeseries.h"
#include "export/export.h"
#include "store/snapshot_hdf5.h"

/** A function that makes one file of several snapshots. */
typedef enum sciara_status writer(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                  const char *path);

static enum sciara_status write(const struct sciara_export_job *job, writer *make, const char *path) {
  struct sciara_export_snapshots all;
  SCIARA_TRY(sciara_export_snapshots(job, SIZE_MAX, &all));
  enum sciara_status status = sciara_export_make_folder(path);
  if (status == SCIARA_OK) status = make((const char *const *)all.paths, all.count, job->target->snapshot.rule, path);
  sciara_export_snapshots_free(&all);
  return status;
}

enum sciara_status sciara_export_nc(const struct sciara_export_job *job, const char *path) {
  return write(job, sciara_series_merge, path);
}

enum sciara_status sciara_export_csv(const struct sciara_export_job *job, const char *path) {
  return write(job, sciara_timeseries_write, path);
}
