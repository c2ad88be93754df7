// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file/csv.h"
#include "file/json_strict.h"

void sciara_bench_report_free(struct sciara_bench_report *r) {
  for (size_t k = 0; k < r->count; k++) {
    sciara_bench_case_free(&r->entry[k].measured);
    free(r->entry[k].left_out);
  }
  for (size_t k = 0; k < r->absent_count; k++) free(r->absent[k].why);
  r->count = r->absent_count = 0;
}

const char *sciara_bench_result_name(enum sciara_bench_result result) {
  return result == SCIARA_BENCH_VERIFIED ? "verified" : result == SCIARA_BENCH_FAILED ? "FAILED" : "left out";
}

const struct sciara_bench_case *sciara_bench_case_find(const struct sciara_bench_report *r, const char *name) {
  for (size_t k = 0; k < r->count; k++)
    if (strcmp(r->entry[k].measured.name, name) == 0 && r->entry[k].measured.count > 0) return &r->entry[k].measured;
  return NULL;
}

double sciara_bench_sparse_over_tight(const struct sciara_bench_report *r, const struct sciara_bench_row *row) {
  const struct sciara_bench_case *tight = sciara_bench_case_find(r, "tight");
  for (size_t k = 0; tight && k < tight->count; k++) {
    const struct sciara_bench_row *other = &tight->row[k];
    if (other->candidate.ops == row->candidate.ops &&
        strcmp(other->candidate.options_text, row->candidate.options_text) == 0 &&
        other->result == SCIARA_BENCH_VERIFIED && row->result == SCIARA_BENCH_VERIFIED)
      return row->ns_per_cell_step.median / other->ns_per_cell_step.median;
  }
  return 0;
}

static const char *class_name(const struct sciara_bench_row *row) {
  return row->candidate.ops->determinism == SCIARA_EXACT ? "exact" : "tolerance";
}

// ----------------------------------------------------------------------------------------------------------------- CSV

static void put_csv(struct sciara_text *t, const char *text) {
  if (text) sciara_csv_append_text(t, text);
}

static void put_spread(struct sciara_text *t, const struct sciara_spread *s) {
  sciara_text_append(t, ",%.9g,%.9g,%.9g", s->median, s->least, s->most);
}

static void put_positive(struct sciara_text *t, double value) {
  if (value > 0)
    sciara_text_append(t, ",%.9g", value);
  else
    sciara_text_append(t, ",");
}

static void put_size(struct sciara_text *t, bool known, size_t bytes) {
  if (known)
    sciara_text_append(t, ",%zu", bytes);
  else
    sciara_text_append(t, ",");
}

static void put_csv_text(struct sciara_text *t, const char *text) {
  sciara_text_append(t, ",");
  put_csv(t, text);
}

/** The end of every row: program and machine of the measurement. */
static void put_csv_machine(struct sciara_text *t, const struct sciara_machine *m) {
  const char *texts[] = {m->date, m->version, m->git_hash, m->compiler, m->hdf5, m->gdal, m->cpu};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) put_csv_text(t, texts[k]);
  put_positive(t, m->cpu_mhz);
  put_positive(t, m->cores);
  put_csv_text(t, m->has_gpu ? m->gpu.name : NULL);
  put_csv_text(t, m->has_gpu ? m->gpu_driver : NULL);
  put_positive(t, m->has_gpu ? m->gpu.clock_mhz : 0);
  put_positive(t, m->has_gpu ? m->gpu.runtime : 0);
  sciara_text_append(t, "\n");
}

static void put_csv_row(struct sciara_text *t, const struct sciara_bench_report *r, const struct sciara_bench_case *c,
                        const struct sciara_bench_row *row) {
  put_csv(t, c->name);
  sciara_text_append(t, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%s,", c->rows, c->cols, c->liquid_cells,
                     sciara_precision_name(r->precision), row->candidate.ops->name);
  put_csv(t, row->candidate.options_text);
  sciara_text_append(t, ",%s,%s,%d,%" PRIu64 ",%" PRIu64, class_name(row), sciara_bench_result_name(row->result),
                     c->repeats, c->first_step + row->warm_up, row->steps);
  if (row->result == SCIARA_BENCH_VERIFIED) {
    put_spread(t, &row->us_per_step);
    put_spread(t, &row->ns_per_cell_step);
    sciara_text_append(t, ",%.9g,%.9g", row->cell_steps_per_s, row->speedup);
  } else {
    sciara_text_append(t, ",,,,,,,,");
  }
  put_size(t, row->memory_known, row->host);
  put_size(t, row->memory_known, row->device);
  put_size(t, row->peak > 0, row->peak);
  sciara_text_append(t, ",");
  if (row->compared) sciara_text_append(t, "%016" PRIx64, row->checksum);
  sciara_text_append(t, ",%s,", c->recorded ? "record" : "serial");
  put_csv(t, row->why);
  put_positive(t, row->scaling);
  put_positive(t, row->loop_scaling);
  put_positive(t, strcmp(c->name, "sparse") == 0 ? sciara_bench_sparse_over_tight(r, row) : 0);
  put_csv_machine(t, &r->machine);
}

enum sciara_status sciara_bench_csv(const struct sciara_bench_report *r, struct sciara_text *out) {
  sciara_text_append(
      out, "case,rows,cols,liquid_cells,precision,engine,options,class,result,repeats,first_step,steps,us_per_step,"
           "us_per_step_min,us_per_step_max,ns_per_cell_step,ns_per_cell_step_min,ns_per_cell_step_max,"
           "cell_steps_per_s,speedup,host_bytes,device_bytes,peak_rss_bytes,checksum,reference,why,"
           "scaling,loop_scaling,over_tight,date,sciara,git,compiler,hdf5,gdal,cpu,cpu_mhz,cores,gpu,gpu_driver,"
           "gpu_mhz,cuda_runtime\n");
  for (size_t k = 0; k < r->count; k++) {
    const struct sciara_bench_entry *e = &r->entry[k];
    for (size_t n = 0; n < e->measured.count; n++) put_csv_row(out, r, &e->measured, &e->measured.row[n]);
    if (!e->left_out) continue;
    put_csv(out, e->measured.name);
    sciara_text_append(out, ",,,,%s,,,,left out,,,,,,,,,,,,,,,,,", sciara_precision_name(r->precision));
    put_csv(out, e->left_out);
    sciara_text_append(out, ",,,");
    put_csv_machine(out, &r->machine);
  }
  return sciara_text_append_bytes(out, "", 0); // fails again if something failed before
}

// ---------------------------------------------------------------------------------------------------------------- JSON

static void put_text(struct sciara_text *t, const char *before, const char *key, const char *value) {
  sciara_text_append(t, "%s\"%s\": ", before, key);
  if (value && *value)
    sciara_text_append_json(t, value);
  else
    sciara_text_append(t, "null");
}

static void put_number(struct sciara_text *t, const char *key, double value) {
  char number[40];
  sciara_json_number(value, number, sizeof number);
  sciara_text_append(t, ", \"%s\": %s", key, number);
}

static void put_number_or_null(struct sciara_text *t, const char *key, bool known, double value) {
  if (known)
    put_number(t, key, value);
  else
    sciara_text_append(t, ", \"%s\": null", key);
}

static void put_json_spread(struct sciara_text *t, const char *key, const struct sciara_spread *s) {
  sciara_text_append(t, ", \"%s\": {\"median\": %.9g, \"min\": %.9g, \"max\": %.9g}", key, s->median, s->least,
                     s->most);
}

static void put_machine(struct sciara_text *t, const struct sciara_machine *m) {
  sciara_text_append(t, "  \"machine\": {");
  put_text(t, "", "date", m->date);
  put_text(t, ", ", "sciara", m->version);
  put_text(t, ", ", "git", m->git_hash);
  put_text(t, ", ", "compiler", m->compiler);
  put_text(t, ", ", "hdf5", m->hdf5);
  put_text(t, ", ", "gdal", m->gdal);
  put_text(t, ",\n    ", "system", m->system);
  put_text(t, ", ", "cpu", m->cpu);
  put_number_or_null(t, "cpu_mhz", m->cpu_mhz > 0, m->cpu_mhz);
  put_number_or_null(t, "cores", m->cores > 0, m->cores);
  put_number_or_null(t, "memory_bytes", m->memory > 0, (double)m->memory);
  sciara_text_append(t, ",\n    \"gpu\": ");
  if (!m->has_gpu) {
    sciara_text_append(t, "null},\n");
    return;
  }
  put_text(t, "{", "name", m->gpu.name);
  put_text(t, ", ", "driver", m->gpu_driver);
  put_number(t, "multiprocessors", m->gpu.multiprocessors);
  put_number(t, "clock_mhz", m->gpu.clock_mhz);
  put_number(t, "memory_bytes", (double)m->gpu.memory);
  put_number(t, "cuda_runtime", m->gpu.runtime);
  put_number(t, "cuda_of_driver", m->gpu.driver_runtime);
  sciara_text_append(t, "}},\n");
}

static void put_json_row(struct sciara_text *t, const struct sciara_bench_report *r, const struct sciara_bench_case *c,
                         const struct sciara_bench_row *row) {
  put_text(t, "        {", "engine", row->candidate.ops->name);
  put_text(t, ", ", "options", row->candidate.options_text);
  put_text(t, ", ", "class", class_name(row));
  put_text(t, ", ", "result", sciara_bench_result_name(row->result));
  put_text(t, ", ", "why", row->why);
  char checksum[20] = "";
  if (row->compared) snprintf(checksum, sizeof checksum, "%016" PRIx64, row->checksum);
  put_text(t, ", ", "checksum", checksum);
  put_number_or_null(t, "host_bytes", row->memory_known, (double)row->host);
  put_number_or_null(t, "device_bytes", row->memory_known, (double)row->device);
  put_number_or_null(t, "peak_rss_bytes", row->peak > 0, (double)row->peak);
  if (row->result == SCIARA_BENCH_VERIFIED) {
    put_number(t, "warm_up", (double)row->warm_up);
    put_number(t, "warm_up_cell_steps", (double)row->warm_up_cell_steps);
    put_number(t, "steps", (double)row->steps);
    put_json_spread(t, "us_per_step", &row->us_per_step);
    put_json_spread(t, "ns_per_cell_step", &row->ns_per_cell_step);
    put_number(t, "cell_steps_per_s", row->cell_steps_per_s);
    put_number(t, "speedup", row->speedup);
    sciara_text_append(t, ", \"seconds\": [");
    for (int n = 0; n < c->repeats; n++) sciara_text_append(t, "%s%.9g", n ? ", " : "", row->seconds[n]);
    sciara_text_append(t, "], \"cell_steps\": [");
    for (int n = 0; n < c->repeats; n++) sciara_text_append(t, "%s%" PRIu64, n ? ", " : "", row->cell_steps[n]);
    sciara_text_append(t, "]");
    const double over_tight = strcmp(c->name, "sparse") == 0 ? sciara_bench_sparse_over_tight(r, row) : 0;
    if (over_tight > 0) put_number(t, "over_tight", over_tight);
    if (row->scaling > 0) {
      put_number(t, "scaling", row->scaling);
      put_number(t, "loop_scaling", row->loop_scaling);
      put_number(t, "loop_per_s", row->loop_per_s);
    }
  }
  sciara_text_append(t, "}");
}

static void put_case(struct sciara_text *t, const struct sciara_bench_report *r, const struct sciara_bench_entry *e) {
  const struct sciara_bench_case *c = &e->measured;
  put_text(t, "    {", "case", c->name);
  put_text(t, ", ", "left_out", e->left_out);
  if (!e->left_out) {
    put_number(t, "rows", (double)c->rows);
    put_number(t, "cols", (double)c->cols);
    put_number(t, "liquid_cells", (double)c->liquid_cells);
    put_number(t, "start_step", (double)c->first_step);
    put_text(t, ", ", "reference", c->recorded ? "record" : "serial");
    put_number(t, "warm_up", (double)c->warm_up);
    put_number(t, "steps", (double)c->steps);
  }
  sciara_text_append(t, ", \"engines\": [");
  for (size_t n = 0; n < c->count; n++) {
    sciara_text_append(t, n ? ",\n" : "\n");
    put_json_row(t, r, c, &c->row[n]);
  }
  sciara_text_append(t, c->count ? "\n    ]}" : "]}");
}

enum sciara_status sciara_bench_json(const struct sciara_bench_report *r, struct sciara_text *out) {
  sciara_text_append(out, "{\n");
  put_text(out, "  ", "format", "sciara bench");
  put_number(out, "version", 1);
  put_text(out, ", ", "suite", r->suite);
  put_text(out, ", ", "precision", sciara_precision_name(r->precision));
  put_number(out, "repeats", r->repeats);
  sciara_text_append(out, ",\n");
  put_machine(out, &r->machine);
  sciara_text_append(out, "  \"engines_left_out\": [");
  for (size_t k = 0; k < r->absent_count; k++) {
    put_text(out, k ? ", {" : "{", "engine", r->absent[k].engine);
    put_text(out, ", ", "why", r->absent[k].why);
    sciara_text_append(out, "}");
  }
  sciara_text_append(out, "],\n  \"cases\": [");
  for (size_t k = 0; k < r->count; k++) {
    sciara_text_append(out, k ? ",\n" : "\n");
    put_case(out, r, &r->entry[k]);
  }
  return sciara_text_append(out, "\n  ]\n}\n");
}
