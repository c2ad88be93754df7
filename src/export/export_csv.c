// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeseries.h"
#include "export/export.h"

static enum sciara_status write(const struct sciara_export_job *job, const char *path) {
  struct sciara_export_snapshots all;
  SCIARA_TRY(sciara_export_snapshots(job, &all));
  enum sciara_status status = sciara_export_make_folder(path);
  if (status == SCIARA_OK)
    status = sciara_timeseries_write((const char *const *)all.paths, all.count, job->target->snapshot.rule, path);
  sciara_export_snapshots_free(&all);
  return status;
}

static const char *stem(const struct sciara_export_job *job) {
  (void)job;
  return "series";
}

const struct sciara_export_format sciara_export_csv = {
    .name = "csv",
    .extensions = (const char *const[]){"csv", NULL},
    .summary = "area, volumes, front, thickness and effusion, one row for each snapshot of a run",
    .options = (const char *const[]){NULL},
    .stem = stem,
    .write = write,
};
