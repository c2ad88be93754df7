// SPDX-License-Identifier: Apache-2.0
// The header of a checkpoint: one table with which it is written, summed and read; and the comparison of two headers.
#include "store/checkpoint_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "file/gdal_support.h"
#include "model/field.h"

enum kind { TEXT, REAL, COUNT, HEX };

static const char checksum_name[] = "header_checksum", format_name[] = "sciara_checkpoint_format";

#define MEMBER(member_) offsetof(struct sciara_checkpoint, member_)
#define INPUT(part_) MEMBER(identity.inputs.hash[SCIARA_INPUT_##part_])

/** One attribute. */
static const struct entry {
  const char *name;
  enum kind kind;
  size_t offset;
} entries[] = {
    {"program_version", TEXT, MEMBER(program_version)},
    {"git_hash", TEXT, MEMBER(git_hash)},
    {"engine", TEXT, MEMBER(engine)},
    {"precision", TEXT, MEMBER(identity.precision)},
    {"scenario_path", TEXT, MEMBER(scenario_path)},
    {"scenario_folder", TEXT, MEMBER(scenario_folder)},
    {"scenario_json", TEXT, MEMBER(scenario_json)},
    {"history", TEXT, MEMBER(history)},
    {"started_utc", TEXT, MEMBER(started_utc)},
    {"crs_wkt", TEXT, MEMBER(georef.crs_wkt)},
    {"crs_name", TEXT, MEMBER(georef.crs_name)},
    {"rows", COUNT, MEMBER(identity.grid.rows)},
    {"cols", COUNT, MEMBER(identity.grid.cols)},
    {"cell_size_m", REAL, MEMBER(identity.grid.cell_size)},
    {"west_m", REAL, MEMBER(identity.grid.west)},
    {"north_m", REAL, MEMBER(identity.grid.north)},
    {"dem_hash", HEX, MEMBER(dem_hash)},
    {"ground_checksum", HEX, INPUT(GROUND)},
    {"vents_hash", HEX, INPUT(VENTS)},
    {"boundary", COUNT, MEMBER(identity.boundary)},
    {"record", COUNT, MEMBER(identity.record)},
    {"step", COUNT, MEMBER(step)},
    {"time_s", REAL, MEMBER(time_s)},
    {"clock_s", REAL, MEMBER(clock_s)},
    {"initial_m3", REAL, MEMBER(initial_m3)},
    {"emitted_m3", REAL, MEMBER(emitted_m3)},
    {"solidifications", COUNT, MEMBER(solidifications)},
    {"losses", COUNT, MEMBER(losses)},
    {"snapshots", COUNT, MEMBER(snapshots)},
    {"next_snapshot_s", REAL, MEMBER(next_snapshot_s)},
    {"wall_s", REAL, MEMBER(wall_s)},
    {"compute_s", REAL, MEMBER(compute_s)},
    {"output_wait_s", REAL, MEMBER(output_wait_s)},
    {"checksum", HEX, MEMBER(checksum)},
    {"words", HEX, MEMBER(words)},
};

/** Those of a state that was corrected with observed lava, or of whose rock edits replaced some, alone. */
static const struct entry correction_entries[] = {
    {"added_m3", REAL, MEMBER(added_m3)},
    {"removed_m3", REAL, MEMBER(removed_m3)},
};

/** Those of a run that began with the lava of an earlier one alone. */
static const struct entry earlier_entries[] = {
    {"emission_from_s", REAL, MEMBER(emission_from_s)},
};

/** Those of a run whose ground changes alone. */
static const struct entry change_entries[] = {
    {"ground_changes", HEX, INPUT(EDITS)},
};

/** Those of all but files of earlier versions. */
static const struct entry cell_entries[] = {
    {"cells_hash", HEX, INPUT(CELLS)},
};

/** Those of a later edition of a rule alone. */
static const struct entry edition_entries[] = {
    {"model.rule_edition", COUNT, MEMBER(rule_edition)},
};

/** Those of a member of an ensemble alone. */
static const struct entry member_entries[] = {
    {"window_row", COUNT, MEMBER(window_row)},
    {"window_col", COUNT, MEMBER(window_col)},
    {"cell_steps", COUNT, MEMBER(cell_steps)},
    {"vent_warning", TEXT, MEMBER(vent_warning)},
    {"tower_warning", TEXT, MEMBER(tower_warning)},
    {"ensemble_hash", HEX, MEMBER(ensemble_hash)},
    {"row_hash", HEX, MEMBER(row_hash)},
    {"site_hash", HEX, MEMBER(site_hash)},
    {"initial_hash", HEX, MEMBER(initial_hash)},
};

/** The parts of a header. */
static const struct part {
  const struct entry *entry;
  size_t count;
} parts[] = {
    {entries, sizeof entries / sizeof *entries},
    {correction_entries, sizeof correction_entries / sizeof *correction_entries},
    {earlier_entries, sizeof earlier_entries / sizeof *earlier_entries},
    {change_entries, sizeof change_entries / sizeof *change_entries},
    {cell_entries, sizeof cell_entries / sizeof *cell_entries},
    {edition_entries, sizeof edition_entries / sizeof *edition_entries},
    {member_entries, sizeof member_entries / sizeof *member_entries},
};

enum { PARTS = sizeof parts / sizeof *parts };

/** Whether a header has a part. */
static bool has_part(const struct sciara_checkpoint *c, size_t part) {
  const struct entry *entry = parts[part].entry;
  if (entry == correction_entries) return c->added_m3 > 0 || c->removed_m3 > 0;
  if (entry == earlier_entries) return c->emission_from_s > 0;
  if (entry == change_entries) return c->identity.inputs.hash[SCIARA_INPUT_EDITS] != 0;
  if (entry == cell_entries) return c->identity.inputs.hash[SCIARA_INPUT_CELLS] != 0;
  if (entry == edition_entries) return c->rule_edition > 1;
  return entry == entries || c->identity.of_member;
}

void sciara_checkpoint_free(struct sciara_checkpoint *c) {
  for (size_t p = 0; p < PARTS; p++)
    for (const struct entry *e = parts[p].entry; e < parts[p].entry + parts[p].count; e++)
      if (e->kind == TEXT) free(*(char **)((char *)c + e->offset));
  memset(c, 0, sizeof *c);
}

static uint64_t hash_entry(uint64_t hash, const struct sciara_checkpoint *c, const struct entry *e) {
  const void *value = (const char *)c + e->offset;
  const char *text = e->kind == TEXT ? *(const char *const *)value : NULL;
  hash = sciara_hash_bytes(hash, e->name, strlen(e->name) + 1);
  if (e->kind != TEXT) return sciara_hash_bytes(hash, value, sizeof(uint64_t));
  return text ? sciara_hash_bytes(hash, text, strlen(text) + 1) : hash;
}

/** Over names and values, so that none can be changed or change places. */
static uint64_t checksum_of(const struct sciara_checkpoint *c) {
  uint64_t hash = SCIARA_HASH_BEGIN;
  for (size_t p = 0; p < PARTS; p++)
    for (size_t k = 0; k < parts[p].count && has_part(c, p); k++) hash = hash_entry(hash, c, &parts[p].entry[k]);
  return sciara_params_hash(hash, &c->identity.params);
}

static enum sciara_status put_entry(hid_t file, const char *path, const struct entry *e,
                                    const struct sciara_checkpoint *c) {
  const void *value = (const char *)c + e->offset;
  switch (e->kind) {
    case TEXT: return sciara_hdf5_put_text(file, path, e->name, *(const char *const *)value);
    case REAL: return sciara_hdf5_put_double(file, path, e->name, *(const double *)value);
    case COUNT: return sciara_hdf5_put_int64(file, path, e->name, *(const int64_t *)value);
    case HEX: break;
  }
  return sciara_hdf5_put_hex(file, path, e->name, *(const uint64_t *)value);
}

static const char rule_name[] = "model.rule"; ///< only where it is not fv3

static double value_of(const struct sciara_params *p, const struct sciara_param_info *info) {
  double value;
  memcpy(&value, (const char *)p + info->offset, sizeof value);
  return value;
}

/** "model.cooling": the name of a parameter's attribute, that of its key in a scenario. */
static void param_name(const struct sciara_param_info *info, char name[128]) {
  snprintf(name, 128, "model.%s", info->key);
}

enum sciara_status sciara_checkpoint_header_put(hid_t file, const char *path, const struct sciara_checkpoint *c) {
  size_t count, references;
  const struct sciara_param_info *params = sciara_param_table(&count), *of_cells = sciara_reference_table(&references);
  char name[128];
  SCIARA_TRY(sciara_hdf5_put_int64(file, path, format_name, SCIARA_CHECKPOINT_FORMAT));
  for (size_t p = 0; p < PARTS; p++)
    for (size_t k = 0; k < parts[p].count && has_part(c, p); k++)
      SCIARA_TRY(put_entry(file, path, &parts[p].entry[k], c));
  if (c->identity.params.rule != SCIARA_RULE_FV3)
    SCIARA_TRY(sciara_hdf5_put_text(file, path, rule_name, sciara_rule_name(c->identity.params.rule)));
  for (size_t k = 0; k < count; k++) {
    if (!sciara_param_is_of(&params[k], c->identity.params.rule)) continue;
    param_name(&params[k], name);
    SCIARA_TRY(sciara_hdf5_put_double(file, path, name, value_of(&c->identity.params, &params[k])));
  }
  for (size_t k = 0; k < references; k++) {
    const double value = value_of(&c->identity.params, &of_cells[k]);
    param_name(&of_cells[k], name);
    if (value > 0) SCIARA_TRY(sciara_hdf5_put_double(file, path, name, value));
  }
  return sciara_hdf5_put_hex(file, path, checksum_name, checksum_of(c));
}

static enum sciara_status get_entry(hid_t file, const char *path, const struct entry *e, struct sciara_checkpoint *c) {
  void *value = (char *)c + e->offset;
  if (e->kind == TEXT) return sciara_hdf5_get_text(file, path, e->name, (char **)value);
  if (e->kind == REAL) return sciara_hdf5_get_double(file, path, e->name, (double *)value);
  if (e->kind == HEX) return sciara_hdf5_get_hex(file, path, e->name, (uint64_t *)value);
  SCIARA_TRY(sciara_hdf5_get_int64(file, path, e->name, (int64_t *)value));
  if (*(const int64_t *)value >= 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: attribute %s: expected 0 or more, found %" PRId64, path, e->name,
                     *(const int64_t *)value);
}

static enum sciara_status check_format(hid_t file, const char *path) {
  int64_t format = 0;
  if (H5Aexists(file, format_name) <= 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: there is no attribute %s: not a checkpoint of this program", path,
                       format_name);
  SCIARA_TRY(sciara_hdf5_get_int64(file, path, format_name, &format));
  if (format == SCIARA_CHECKPOINT_FORMAT) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: %s: expected %d, found %" PRId64 ": another version of the program wrote it", path,
                     format_name, SCIARA_CHECKPOINT_FORMAT, format);
}

/** The rule of a checkpoint: fv3 where no attribute names it. */
static enum sciara_status get_rule(hid_t file, const char *path, enum sciara_rule_kind *out) {
  char *text = NULL;
  *out = SCIARA_RULE_FV3;
  if (H5Aexists(file, rule_name) <= 0) return SCIARA_OK;
  SCIARA_TRY(sciara_hdf5_get_text(file, path, rule_name, &text));
  enum sciara_status status = SCIARA_OK;
  if (!text || !sciara_rule_find(text, out))
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: attribute %s: expected a rule of this program, found \"%s\"", path,
                         rule_name, text ? text : "");
  free(text);
  return status;
}

/** The parameters of the rule, and the references that the checkpoint has. */
static enum sciara_status get_params(hid_t file, const char *path, struct sciara_params *out) {
  size_t count, references;
  const struct sciara_param_info *params = sciara_param_table(&count), *of_cells = sciara_reference_table(&references);
  char name[128];
  SCIARA_TRY(get_rule(file, path, &out->rule));
  for (size_t k = 0; k < count + references; k++) {
    const struct sciara_param_info *info = k < count ? &params[k] : &of_cells[k - count];
    double value;
    if (!sciara_param_is_of(info, out->rule)) continue;
    param_name(info, name);
    if (k >= count && H5Aexists(file, name) <= 0) continue;
    SCIARA_TRY(sciara_hdf5_get_double(file, path, name, &value));
    memcpy((char *)out + info->offset, &value, sizeof value);
  }
  return SCIARA_OK;
}

static enum sciara_status get_all(hid_t file, const char *path, struct sciara_checkpoint *c) {
  uint64_t expected = 0;
  SCIARA_TRY(check_format(file, path));
  c->identity.of_member = H5Aexists(file, member_entries[0].name) > 0;
  for (size_t p = 0; p < PARTS; p++)
    for (size_t k = 0; k < parts[p].count && (p == 0 || H5Aexists(file, parts[p].entry[0].name) > 0); k++)
      SCIARA_TRY(get_entry(file, path, &parts[p].entry[k], c));
  SCIARA_TRY(get_params(file, path, &c->identity.params));
  SCIARA_TRY(sciara_hdf5_get_hex(file, path, checksum_name, &expected));
  const uint64_t found = checksum_of(c);
  if (found != expected)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: damaged: the checksum of its header is %016" PRIx64 ", but the file states %016" PRIx64,
                       path, found, expected);
  if (!c->scenario_json || !c->scenario_path || !c->scenario_folder || !c->identity.precision)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: the scenario or the precision is missing", path);
  return c->georef.crs_wkt ? sciara_crs_text_check(path, c->georef.crs_wkt) : SCIARA_OK;
}

enum sciara_status sciara_checkpoint_header_get(hid_t file, const char *path, struct sciara_checkpoint *out) {
  memset(out, 0, sizeof *out);
  const enum sciara_status status = get_all(file, path, out);
  if (status != SCIARA_OK) sciara_checkpoint_free(out);
  return status;
}

// ----------------------------------------------------------------------------------------- what two of them must share

static bool is_identical(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static enum sciara_status check_ground(const struct sciara_checkpoint_identity *its, const char *path,
                                       const struct sciara_checkpoint_identity *run) {
  const struct sciara_grid *a = &its->grid, *b = &run->grid;
  if (a->rows != b->rows || a->cols != b->cols || !is_identical(a->cell_size, b->cell_size) ||
      !is_identical(a->west, b->west) || !is_identical(a->north, b->north))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: another DEM: expected %" PRId64 " rows x %" PRId64
                       " columns of %.17g m at %.17g, %.17g, as in the checkpoint; found %" PRId64 " x %" PRId64
                       " of %.17g m at %.17g, %.17g",
                       path, a->rows, a->cols, a->cell_size, a->west, a->north, b->rows, b->cols, b->cell_size, b->west,
                       b->north);
  const uint64_t was = its->inputs.hash[SCIARA_INPUT_GROUND], is = run->inputs.hash[SCIARA_INPUT_GROUND];
  if (was == is) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s: another DEM: expected altitudes with the checksum %016" PRIx64 ", as in the checkpoint; found %016" PRIx64
      ". An edit of the ground that its run did not have needs \"from\", when it is done, and stands after "
      "those that it had",
      path, was, is);
}

static enum sciara_status check_params(const struct sciara_checkpoint_identity *its, const char *path,
                                       const struct sciara_checkpoint_identity *run) {
  size_t count, references;
  const struct sciara_param_info *params = sciara_param_table(&count), *of_cells = sciara_reference_table(&references);
  if (its->params.rule != run->params.rule)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: %s: found \"%s\", the checkpoint was computed with \"%s\", and goes on with it alone", path,
                       rule_name, sciara_rule_name(run->params.rule), sciara_rule_name(its->params.rule));
  for (size_t k = 0; k < count + references; k++) {
    const struct sciara_param_info *info = k < count ? &params[k] : &of_cells[k - count];
    const double a = value_of(&its->params, info), b = value_of(&run->params, info);
    if (!is_identical(a, b))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: model.%s: found %.17g, the checkpoint was computed with %.17g%s", path,
                         info->key, b, a, k < count ? "" : " (0: none)");
  }
  return SCIARA_OK;
}

/** The rest of what a run reads. An earlier version did not note the cells. */
static enum sciara_status check_inputs(const struct sciara_inputs *its, const char *path,
                                       const struct sciara_inputs *run, unsigned may_differ) {
  for (int k = SCIARA_INPUT_CELLS; k <= SCIARA_INPUT_VENTS; k++) {
    const uint64_t was = its->hash[k], is = run->hash[k];
    if (was == is || may_differ >> k & 1u || (k == SCIARA_INPUT_CELLS && !was)) continue;
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: %s: expected %s with the hash %016" PRIx64 ", as in the checkpoint; found %016" PRIx64
                       ": has a file changed?%s",
                       path, sciara_input_table[k].key, sciara_input_table[k].what, was, is,
                       k == SCIARA_INPUT_VENTS ? " A branch (--output) may have other vents" : "");
  }
  return SCIARA_OK;
}

/** A state goes on with the edition of its rule alone. */
static enum sciara_status check_edition(const struct sciara_checkpoint *c, const char *path) {
  const enum sciara_rule_kind rule = c->identity.params.rule;
  const int64_t its = c->rule_edition ? (int64_t)c->rule_edition : 1, here = sciara_rule_edition(rule);
  if (its == here) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: computed with edition %" PRId64 " of rule %s, expected edition %" PRId64
                     ", which this program has: the lava moves by another law. The results can be read, but not "
                     "continued",
                     path, its, sciara_rule_name(rule), here);
}

static const char of_run[] = "a run", of_member[] = "a member of an ensemble, which 'sciara ensemble run' continues";

static const char *boundary_name(uint64_t boundary) { return boundary == SCIARA_BOUNDARY_CLOSED ? "closed" : "open"; }

enum sciara_status sciara_checkpoint_check(const struct sciara_checkpoint *c, const char *path,
                                           const struct sciara_checkpoint_identity *run, unsigned may_differ) {
  const struct sciara_checkpoint_identity *its = &c->identity;
  if (its->of_member != run->of_member)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a checkpoint of %s, found one of %s", path,
                       run->of_member ? of_member : of_run, its->of_member ? of_member : of_run);
  SCIARA_TRY(check_edition(c, path));
  // First, for in another precision the ground is rounded in another way.
  if (strcmp(its->precision, run->precision) != 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: precision: found %s, the checkpoint was computed in %s", path,
                       run->precision, its->precision);
  SCIARA_TRY(check_ground(its, path, run));
  SCIARA_TRY(check_params(its, path, run));
  if (its->boundary != run->boundary)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: boundary: found %s, the checkpoint was computed with %s", path,
                       boundary_name(run->boundary), boundary_name(its->boundary));
  SCIARA_TRY(check_inputs(&its->inputs, path, &run->inputs, may_differ));
  const uint64_t missing = run->record & ~its->record;
  if (!missing) return SCIARA_OK;
  int field = 0; // the first of them
  while (field < SCIARA_FIELD_COUNT && !(missing & sciara_field_record((enum sciara_field)field))) field++;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: output: found %s among the fields, but the checkpoint has not recorded it",
                     path,
                     field < SCIARA_FIELD_COUNT ? sciara_field_name((enum sciara_field)field) : "an unknown field");
}
