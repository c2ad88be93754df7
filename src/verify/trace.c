// SPDX-License-Identifier: Apache-2.0
#include "verify/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/parallel.h"

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

void sciara_trace_begin(const struct sciara_problem *p, enum sciara_precision precision, struct sciara_trace *out) {
  const struct sciara_vents *v = p->vents;
  const size_t cells = (size_t)v->count * sizeof *v->row, slots = (size_t)v->slots * sizeof *v->rate;
  const uint64_t seed = UINT64_C(0xcbf29ce484222325);
  *out = (struct sciara_trace){.dem = p->site->origin.hash, .start = sciara_checksum_in_parallel(p->state)};
  out->parameters = sciara_params_hash(seed, &p->scenario.params);
  out->parameters = hash_bytes(out->parameters, &p->scenario.boundary, sizeof p->scenario.boundary);
  out->vents = hash_bytes(hash_bytes(seed, v->row, cells), v->col, cells);
  out->vents = hash_bytes(hash_bytes(hash_bytes(out->vents, v->begin, slots), v->end, slots), v->rate, slots);
  snprintf(out->precision, sizeof out->precision, "%s", sciara_precision_name(precision));
}

enum sciara_status sciara_trace_add(struct sciara_trace *t, const struct sciara_state *s,
                                    const struct sciara_ledger *ledger) {
  struct sciara_trace_row *row = realloc(t->row, (t->count + 1) * sizeof *row);
  if (!row) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a trace");
  t->row = row;
  row[t->count++] = (struct sciara_trace_row){.step = s->step,
                                              .time = s->time,
                                              .clock = s->clock,
                                              .emitted = s->emitted,
                                              .liquid_cells = sciara_state_liquid_cells(s),
                                              .residual = ledger->residual_m3,
                                              .checksum = sciara_checksum_in_parallel(s)};
  return SCIARA_OK;
}

enum sciara_status sciara_trace_same(const struct sciara_trace *mine, const struct sciara_trace *file,
                                     const char *path) {
  const char *what = mine->dem != file->dem                          ? "DEM"
                     : strcmp(mine->precision, file->precision) != 0 ? "precision"
                     : mine->parameters != file->parameters          ? "set of parameters"
                     : mine->vents != file->vents                    ? "set of vents"
                     : mine->start != file->start                    ? "state at the start"
                                                                     : NULL;
  if (!what) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: the %s of the trace differs from that of the scenario", path, what);
}
