// SPDX-License-Identifier: Apache-2.0
#include "export/export.h"
#include "store/series_merge.h"

static enum sciara_status write(const struct sciara_export_job *job, const char *path) {
  struct sciara_export_snapshots all;
  SCIARA_TRY(sciara_export_snapshots(job, &all));
  enum sciara_status status = sciara_export_make_folder(path);
  if (status == SCIARA_OK)
    status = sciara_series_merge((const char *const *)all.paths, all.count, job->target->snapshot.rule, path);
  sciara_export_snapshots_free(&all);
  return status;
}

static const char *stem(const struct sciara_export_job *job) {
  (void)job;
  return "series";
}

const struct sciara_export_format sciara_export_nc = {
    .name = "nc",
    .extensions = (const char *const[]){"nc", NULL},
    .summary = "all snapshots of a run as one ordinary NetCDF file, which refers to no other",
    .options = (const char *const[]){NULL},
    .stem = stem,
    .write = write,
};
