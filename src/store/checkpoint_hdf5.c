// SPDX-License-Identifier: Apache-2.0
// The fields of a checkpoint. A word is the 64 bits of a value, exclusive-or those of the bare ground: 0 wherever lava
// has changed nothing, so that most chunks are empty, are not stored, and are read as 0.
#include "store/checkpoint_hdf5.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/detmath.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/gdal_support.h"
#include "file/hdf5_file.h"
#include "file/json_strict.h"
#include "model/field.h"

// ------------------------------------------------------------------------------------------------------ the attributes

// One table with which they are written, summed and read.

enum kind { TEXT, REAL, COUNT, HEX };

static const char checksum_name[] = "header_checksum", format_name[] = "sciara_checkpoint_format";

#define MEMBER(member_) offsetof(struct sciara_checkpoint, member_)
#define INPUT(part_) MEMBER(identity.inputs.hash[SCIARA_INPUT_##part_])

/** What has a group of attributes. */
enum group {
  EACH,
  CORRECTED,       ///< a state that was corrected with observed lava, or of whose rock edits replaced some
  OF_EARLIER_LAVA, ///< a run that began with the lava of an earlier one
  CHANGING_GROUND, ///< a run whose ground changes
  WITH_CELLS,      ///< all but files of earlier versions
  LATER_EDITION,   ///< a later edition of a rule
  OF_MEMBER        ///< a member of an ensemble
};

/** The attributes, those of a group together. */
static const struct entry {
  const char *name;
  enum kind kind;
  size_t offset;
  enum group group;
} entries[] = {
    {"program_version", TEXT, MEMBER(program_version), EACH},
    {"git_hash", TEXT, MEMBER(git_hash), EACH},
    {"engine", TEXT, MEMBER(engine), EACH},
    {"precision", TEXT, MEMBER(identity.precision), EACH},
    {"scenario_path", TEXT, MEMBER(scenario_path), EACH},
    {"scenario_folder", TEXT, MEMBER(scenario_folder), EACH},
    {"scenario_json", TEXT, MEMBER(scenario_json), EACH},
    {"history", TEXT, MEMBER(history), EACH},
    {"started_utc", TEXT, MEMBER(started_utc), EACH},
    {"crs_wkt", TEXT, MEMBER(georef.crs_wkt), EACH},
    {"crs_name", TEXT, MEMBER(georef.crs_name), EACH},
    {"rows", COUNT, MEMBER(identity.grid.rows), EACH},
    {"cols", COUNT, MEMBER(identity.grid.cols), EACH},
    {"cell_size_m", REAL, MEMBER(identity.grid.cell_size), EACH},
    {"west_m", REAL, MEMBER(identity.grid.west), EACH},
    {"north_m", REAL, MEMBER(identity.grid.north), EACH},
    {"dem_hash", HEX, MEMBER(dem_hash), EACH},
    {"ground_checksum", HEX, INPUT(GROUND), EACH},
    {"vents_hash", HEX, INPUT(VENTS), EACH},
    {"boundary", COUNT, MEMBER(identity.boundary), EACH},
    {"record", COUNT, MEMBER(identity.record), EACH},
    {"step", COUNT, MEMBER(step), EACH},
    {"time_s", REAL, MEMBER(time_s), EACH},
    {"clock_s", REAL, MEMBER(clock_s), EACH},
    {"initial_m3", REAL, MEMBER(initial_m3), EACH},
    {"emitted_m3", REAL, MEMBER(emitted_m3), EACH},
    {"solidifications", COUNT, MEMBER(solidifications), EACH},
    {"losses", COUNT, MEMBER(losses), EACH},
    {"snapshots", COUNT, MEMBER(snapshots), EACH},
    {"next_snapshot_s", REAL, MEMBER(next_snapshot_s), EACH},
    {"wall_s", REAL, MEMBER(wall_s), EACH},
    {"compute_s", REAL, MEMBER(compute_s), EACH},
    {"output_wait_s", REAL, MEMBER(output_wait_s), EACH},
    {"checksum", HEX, MEMBER(checksum), EACH},
    {"words", HEX, MEMBER(words), EACH},
    {"added_m3", REAL, MEMBER(added_m3), CORRECTED},
    {"removed_m3", REAL, MEMBER(removed_m3), CORRECTED},
    {"emission_from_s", REAL, MEMBER(emission_from_s), OF_EARLIER_LAVA},
    {"ground_changes", HEX, INPUT(EDITS), CHANGING_GROUND},
    {"cells_hash", HEX, INPUT(CELLS), WITH_CELLS},
    {"model.rule_edition", COUNT, MEMBER(rule_edition), LATER_EDITION},
    {"window_row", COUNT, MEMBER(window_row), OF_MEMBER},
    {"window_col", COUNT, MEMBER(window_col), OF_MEMBER},
    {"cell_steps", COUNT, MEMBER(cell_steps), OF_MEMBER},
    {"vent_warning", TEXT, MEMBER(vent_warning), OF_MEMBER},
    {"tower_warning", TEXT, MEMBER(tower_warning), OF_MEMBER},
    {"ensemble_hash", HEX, MEMBER(ensemble_hash), OF_MEMBER},
    {"row_hash", HEX, MEMBER(row_hash), OF_MEMBER},
    {"site_hash", HEX, MEMBER(site_hash), OF_MEMBER},
    {"initial_hash", HEX, MEMBER(initial_hash), OF_MEMBER},
};

enum { ENTRIES = sizeof entries / sizeof *entries };

static bool has_group(const struct sciara_checkpoint *c, enum group group) {
  switch (group) {
    case EACH: break;
    case CORRECTED: return c->added_m3 > 0 || c->removed_m3 > 0;
    case OF_EARLIER_LAVA: return c->emission_from_s > 0;
    case CHANGING_GROUND: return c->identity.inputs.hash[SCIARA_INPUT_EDITS] != 0;
    case WITH_CELLS: return c->identity.inputs.hash[SCIARA_INPUT_CELLS] != 0;
    case LATER_EDITION: return c->rule_edition > 1;
    case OF_MEMBER: return c->identity.of_member;
  }
  return true;
}

void sciara_checkpoint_free(struct sciara_checkpoint *c) {
  for (size_t k = 0; k < ENTRIES; k++)
    if (entries[k].kind == TEXT) free(*(char **)((char *)c + entries[k].offset));
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
  for (size_t k = 0; k < ENTRIES; k++)
    if (has_group(c, entries[k].group)) hash = hash_entry(hash, c, &entries[k]);
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

static double value_of_param(const struct sciara_params *p, const struct sciara_param_info *info) {
  double value;
  memcpy(&value, (const char *)p + info->offset, sizeof value);
  return value;
}

/** "model.cooling": the name of a parameter's attribute, that of its key in a scenario. */
static void param_name(const struct sciara_param_info *info, char name[128]) {
  snprintf(name, 128, "model.%s", info->key);
}

/** Writes all attributes, and a checksum over them. */
static enum sciara_status checkpoint_header_put(hid_t file, const char *path, const struct sciara_checkpoint *c) {
  size_t count, references;
  const struct sciara_param_info *params = sciara_param_table(&count), *of_cells = sciara_reference_table(&references);
  char name[128];
  SCIARA_TRY(sciara_hdf5_put_int64(file, path, format_name, SCIARA_CHECKPOINT_FORMAT));
  for (size_t k = 0; k < ENTRIES; k++)
    if (has_group(c, entries[k].group)) SCIARA_TRY(put_entry(file, path, &entries[k], c));
  if (c->identity.params.rule != SCIARA_RULE_FV3)
    SCIARA_TRY(sciara_hdf5_put_text(file, path, rule_name, sciara_rule_name(c->identity.params.rule)));
  for (size_t k = 0; k < count; k++) {
    if (!sciara_param_is_of(&params[k], c->identity.params.rule)) continue;
    param_name(&params[k], name);
    SCIARA_TRY(sciara_hdf5_put_double(file, path, name, value_of_param(&c->identity.params, &params[k])));
  }
  for (size_t k = 0; k < references; k++) {
    const double value = value_of_param(&c->identity.params, &of_cells[k]);
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
  bool there = true; // the first attribute of a group tells
  for (size_t k = 0; k < ENTRIES; k++) {
    if (k > 0 && entries[k].group != entries[k - 1].group) there = H5Aexists(file, entries[k].name) > 0;
    if (there) SCIARA_TRY(get_entry(file, path, &entries[k], c));
  }
  c->identity.of_member = there; // the last group
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

/** Reads and checks them. On failure `out` is zeroed. */
static enum sciara_status checkpoint_header_get(hid_t file, const char *path, struct sciara_checkpoint *out) {
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
    const double a = value_of_param(&its->params, info), b = value_of_param(&run->params, info);
    char was[40], is[40];
    if (is_identical(a, b)) continue;
    sciara_json_number(a, was, sizeof was);
    sciara_json_number(b, is, sizeof is);
    return sciara_fail(SCIARA_ERR_INPUT, "%s: model.%s: found %s, the checkpoint was computed with %s%s", path,
                       info->key, is, was, k < count ? "" : " (0: none)");
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

enum {
  CHUNK_SIDE = 256,
#define SCIARA_REAL_FIELD(member) +1
#define SCIARA_DOUBLE_FIELD(member) +1
  ALWAYS = 0
#include "model/fields.def"
  , // what is recorded on request follows
  FIELDS = ALWAYS + (int)SCIARA_RECORDED_FIELDS
};

/** More than fits in any memory, and few enough chunks to check each of them. */
static const double most_cells = 1e11;

static const char *const names[FIELDS] = {
#define SCIARA_REAL_FIELD(member) #member,
#define SCIARA_DOUBLE_FIELD(member) #member,
#define SCIARA_RECORDED_FIELD(member, NAME, ...) #member,
#include "model/fields.def"
};

/** An open file, and the data for it. */
struct access {
  const char *path;
  hid_t file;
  const struct sciara_grid *grid;
  uint64_t *chunk;        ///< CHUNK_SIDE^2 words
  struct sciara_state *s; ///< to take words from or put them into; NULL: they are only summed
  uint64_t sum;
};

/** One field of it. */
struct field {
  struct access *at;
  uint64_t number;
  double *values; ///< of the state; NULL: the state has none
  hid_t dataset, space;
  struct sciara_chunk_guard guard; ///< when it is read
};

static double *values_of(struct sciara_state *s, int number) {
  double *const all[FIELDS] = {
#define SCIARA_REAL_FIELD(member) s->member,
#define SCIARA_DOUBLE_FIELD(member) s->member,
#define SCIARA_RECORDED_FIELD(member, NAME, ...) s->member,
#include "model/fields.def"
  };
  return all[number];
}

/** The word of a cell that lava has never reached. */
static uint64_t bare_bits(const struct field *f, int64_t i) {
  if (f->values == f->at->s->z) return sciara_double_bits(f->at->s->z0[i]);
  return f->values == f->at->s->arrival ? sciara_double_bits(SCIARA_NEVER) : 0;
}

/** A part of the map: at most CHUNK_SIDE rows and columns. */
struct part {
  int64_t row, col, rows, cols;
};

static struct part part_at(const struct sciara_grid *g, int64_t row, int64_t col) {
  return (struct part){.row = row,
                       .col = col,
                       .rows = g->rows - row < CHUNK_SIDE ? g->rows - row : CHUNK_SIDE,
                       .cols = g->cols - col < CHUNK_SIDE ? g->cols - col : CHUNK_SIDE};
}

static void add_to_sum(const struct field *f, int64_t cell, uint64_t word) {
  if (word) f->at->sum += sciara_hash_word(f->number, (uint64_t)cell, word);
}

/** State to chunk; whether there is anything to store. */
static bool pack(const struct field *f, const struct part *p) {
  const int64_t stride = f->at->grid->cols;
  uint64_t any = 0;
  for (int64_t r = 0; r < p->rows; r++) {
    const int64_t first = (p->row + r) * stride + p->col;
    uint64_t *to = f->at->chunk + r * p->cols;
    uint64_t in_row = 0;
    for (int64_t c = 0; c < p->cols; c++)
      in_row |= to[c] = sciara_double_bits(f->values[first + c]) ^ bare_bits(f, first + c);
    for (int64_t c = 0; in_row && c < p->cols; c++) add_to_sum(f, first + c, to[c]);
    any |= in_row;
  }
  return any != 0;
}

/** Chunk to sum and, where there is one, to state. */
static void unpack(const struct field *f, const struct part *p) {
  const int64_t stride = f->at->grid->cols;
  for (int64_t r = 0; r < p->rows; r++)
    for (int64_t c = 0; c < p->cols; c++) {
      const int64_t i = (p->row + r) * stride + p->col + c;
      const uint64_t word = f->at->chunk[r * p->cols + c];
      add_to_sum(f, i, word);
      if (f->values) f->values[i] = sciara_double_from_bits(word ^ bare_bits(f, i));
    }
}

/** The part of the dataset, selected; H5I_INVALID_HID when that fails. To be closed. */
static hid_t select_part(const struct field *f, const struct part *p) {
  const hsize_t start[2] = {(hsize_t)p->row, (hsize_t)p->col}, count[2] = {(hsize_t)p->rows, (hsize_t)p->cols};
  if (H5Sselect_hyperslab(f->space, H5S_SELECT_SET, start, NULL, count, NULL) < 0) return H5I_INVALID_HID;
  return H5Screate_simple(2, count, NULL);
}

static enum sciara_status store(const struct field *f, const struct part *p) {
  enum sciara_status status = SCIARA_OK;
  const hid_t memory = select_part(f, p);
  if (memory < 0 || H5Dwrite(f->dataset, H5T_NATIVE_UINT64, memory, f->space, H5P_DEFAULT, f->at->chunk) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, f->at->path, "cannot write %s", names[f->number]);
  if (memory >= 0) H5Sclose(memory);
  return status;
}

/** A chunk that is not stored is not read: it holds nothing. */
static enum sciara_status fetch_field(const struct field *f, const struct part *p, bool *stored) {
  const hsize_t start[2] = {(hsize_t)p->row, (hsize_t)p->col};
  SCIARA_TRY(sciara_chunk_guard_look(&f->guard, start, stored));
  if (!*stored) return SCIARA_OK;
  enum sciara_status status = SCIARA_OK;
  const hid_t memory = select_part(f, p);
  if (memory < 0 || H5Dread(f->dataset, H5T_NATIVE_UINT64, memory, f->space, H5P_DEFAULT, f->at->chunk) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, f->at->path, "damaged: cannot read %s", names[f->number]);
  if (memory >= 0) H5Sclose(memory);
  return status;
}

static void close_checkpoint_field(struct field *f) {
  sciara_chunk_guard_close(&f->guard);
  if (f->dataset >= 0) H5Dclose(f->dataset);
  if (f->space >= 0) H5Sclose(f->space);
  f->dataset = f->space = H5I_INVALID_HID;
}

// ---------------------------------------------------------------------------------------------------------- writing

static enum sciara_status create_field(struct field *f) {
  const struct sciara_grid *g = f->at->grid;
  const hsize_t dims[2] = {(hsize_t)g->rows, (hsize_t)g->cols};
  const struct part first = part_at(g, 0, 0);
  const hsize_t sides[2] = {(hsize_t)first.rows, (hsize_t)first.cols};
  const uint64_t fill = 0; // stated: an unset fill value leaves another mark in the file
  const hid_t plist = sciara_hdf5_chunked_plist(2, sides, 1, H5T_NATIVE_UINT64, &fill);
  enum sciara_status status = SCIARA_OK;
  f->space = H5Screate_simple(2, dims, NULL);
  if (plist >= 0 && f->space >= 0)
    f->dataset = H5Dcreate2(f->at->file, names[f->number], H5T_STD_U64LE, f->space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (f->dataset < 0) status = sciara_hdf5_fail(SCIARA_ERR_IO, f->at->path, "cannot create %s", names[f->number]);
  if (plist >= 0) H5Pclose(plist);
  return status;
}

static enum sciara_status write_checkpoint_field(struct access *at, int number) {
  struct field f = {.at = at,
                    .number = (uint64_t)number,
                    .values = values_of(at->s, number),
                    .dataset = H5I_INVALID_HID,
                    .space = H5I_INVALID_HID};
  if (!f.values) return SCIARA_OK;
  enum sciara_status status = create_field(&f);
  for (int64_t r = 0; r < at->grid->rows && status == SCIARA_OK; r += CHUNK_SIDE)
    for (int64_t c = 0; c < at->grid->cols && status == SCIARA_OK; c += CHUNK_SIDE) {
      const struct part part = part_at(at->grid, r, c);
      if (pack(&f, &part)) status = store(&f, &part);
    }
  close_checkpoint_field(&f);
  return status;
}

/** What the header says of the state and of the program. */
static enum sciara_status take_over(struct sciara_checkpoint *c, const struct sciara_state *s) {
  free(c->program_version);
  free(c->git_hash);
  c->program_version = strdup(SCIARA_VERSION);
  c->git_hash = strdup(SCIARA_GIT_HASH);
  if (!c->program_version || !c->git_hash) return sciara_no_memory("a checkpoint");
  c->step = s->step;
  c->time_s = s->time;
  c->clock_s = s->clock;
  c->initial_m3 = s->initial;
  c->emitted_m3 = s->emitted;
  c->added_m3 = s->added;
  c->removed_m3 = s->removed;
  c->solidifications = s->solidifications;
  struct sciara_touched touched;
  SCIARA_TRY(sciara_touched_find(s, 1, &touched));
  c->rule_edition = (uint64_t)sciara_rule_edition(c->identity.params.rule);
  c->checksum = sciara_state_checksum_over(s, c->identity.inputs.hash[SCIARA_INPUT_GROUND], &touched);
  sciara_touched_release(&touched);
  return SCIARA_OK;
}

static enum sciara_status write_checkpoint(struct sciara_checkpoint *c, struct access *at,
                                           struct sciara_hdf5_session *session) {
  enum sciara_status status = sciara_hdf5_image_create(at->path, &at->file);
  if (status != SCIARA_OK) return status;
  for (int k = 0; k < FIELDS && status == SCIARA_OK; k++) status = write_checkpoint_field(at, k);
  c->words = at->sum;
  if (status == SCIARA_OK) status = checkpoint_header_put(at->file, at->path, c);
  if (status == SCIARA_OK && c->identity.of_member)
    return sciara_hdf5_image_publish_shared(at->file, at->path, true, session);
  if (status == SCIARA_OK) return sciara_hdf5_image_publish(at->file, at->path);
  H5Fclose(at->file);
  return status;
}

enum sciara_status sciara_checkpoint_write(struct sciara_checkpoint *c, const struct sciara_state *s,
                                           const char *path) {
  struct sciara_state alias = *s;
  struct access at = {.path = path, .grid = &s->grid, .s = &alias};
  SCIARA_TRY(take_over(c, s));
  SCIARA_TRY(SCIARA_NEW(at.chunk, CHUNK_SIDE * CHUNK_SIDE, "a chunk to write"));
  struct sciara_hdf5_session session;
  const size_t bytes = (size_t)sciara_grid_cells(&s->grid) * FIELDS * sizeof *at.chunk;
  sciara_write_enter(bytes);
  sciara_hdf5_begin(&session);
  const enum sciara_status status = write_checkpoint(c, &at, &session);
  sciara_hdf5_end(&session);
  sciara_write_leave(bytes);
  sciara_free(at.chunk);
  return status;
}

size_t sciara_checkpoint_memory(const struct sciara_grid *grid) {
  (void)grid;
  return CHUNK_SIDE * CHUNK_SIDE * sizeof(uint64_t);
}

// ---------------------------------------------------------------------------------------------------------- reading

/** Its chunks must be those that are checked one by one. */
static enum sciara_status guard_field(struct field *f) {
  const struct part first = part_at(f->at->grid, 0, 0);
  const hsize_t side[2] = {(hsize_t)first.rows, (hsize_t)first.cols};
  return sciara_chunk_guard_open(&f->guard, f->dataset, f->at->path, names[f->number], side);
}

static enum sciara_status open_checkpoint_field(struct field *f) {
  const struct sciara_grid *g = f->at->grid;
  hsize_t dims[2] = {0, 0};
  SCIARA_TRY(sciara_hdf5_dataset_open(f->at->file, f->at->path, names[f->number], SCIARA_HDF5_IN_CHUNKS, &f->dataset));
  f->space = H5Dget_space(f->dataset);
  const hid_t type = H5Dget_type(f->dataset);
  const bool fits = f->space >= 0 && H5Sget_simple_extent_ndims(f->space) == 2 &&
                    H5Sget_simple_extent_dims(f->space, dims, NULL) == 2 && dims[0] == (hsize_t)g->rows &&
                    dims[1] == (hsize_t)g->cols && type >= 0 && H5Tequal(type, H5T_STD_U64LE) > 0;
  if (type >= 0) H5Tclose(type);
  if (fits) return guard_field(f);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: damaged: %s is not a field of %" PRId64 " x %" PRId64 " words", f->at->path,
                     names[f->number], g->rows, g->cols);
}

static enum sciara_status read_checkpoint_field(struct access *at, int number) {
  struct field f = {.at = at, .number = (uint64_t)number, .dataset = H5I_INVALID_HID, .space = H5I_INVALID_HID};
  if (at->s) f.values = values_of(at->s, number);
  enum sciara_status status = open_checkpoint_field(&f);
  for (int64_t r = 0; r < at->grid->rows && status == SCIARA_OK; r += CHUNK_SIDE)
    for (int64_t c = 0; c < at->grid->cols && status == SCIARA_OK; c += CHUNK_SIDE) {
      const struct part part = part_at(at->grid, r, c);
      bool stored = false;
      status = fetch_field(&f, &part, &stored);
      if (status == SCIARA_OK && stored) unpack(&f, &part);
    }
  close_checkpoint_field(&f);
  return status;
}

static enum sciara_status read_fields(struct access *at, const struct sciara_checkpoint *c) {
  const struct sciara_grid *g = &c->identity.grid;
  if (g->rows < 1 || g->cols < 1 || (double)g->rows * (double)g->cols > most_cells)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: damaged: its grid has %" PRId64 " rows x %" PRId64 " columns", at->path,
                       g->rows, g->cols);
  at->grid = g;
  for (int k = 0; k < FIELDS; k++) {
    const bool there = k < ALWAYS || (c->identity.record >> (k - ALWAYS) & 1u);
    if (there) SCIARA_TRY(read_checkpoint_field(at, k));
  }
  if (at->sum == c->words) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: damaged: its fields have the checksum %016" PRIx64 ", its header says %016" PRIx64, at->path,
                     at->sum, c->words);
}

enum sciara_status sciara_checkpoint_read_header(const char *path, struct sciara_checkpoint *out) {
  struct sciara_hdf5_session session;
  hid_t file;
  memset(out, 0, sizeof *out);
  sciara_hdf5_begin(&session);
  enum sciara_status status = sciara_hdf5_file_open(path, &file);
  if (status == SCIARA_OK) {
    status = checkpoint_header_get(file, path, out);
    H5Fclose(file);
  }
  sciara_hdf5_end(&session);
  return status;
}

/** Reads all fields into a state, or only checks them. */
static enum sciara_status read_checkpoint(const char *path, const struct sciara_checkpoint *c, struct sciara_state *s) {
  struct access at = {.path = path, .s = s};
  SCIARA_TRY(SCIARA_NEW(at.chunk, CHUNK_SIDE * CHUNK_SIDE, "a chunk to read"));
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  enum sciara_status status = sciara_hdf5_file_open(path, &at.file);
  if (status == SCIARA_OK) {
    status = read_fields(&at, c);
    H5Fclose(at.file);
  }
  sciara_hdf5_end(&session);
  sciara_free(at.chunk);
  return status;
}

enum sciara_status sciara_checkpoint_verify(const char *path, struct sciara_checkpoint *out) {
  SCIARA_TRY(sciara_checkpoint_read_header(path, out));
  const enum sciara_status status = read_checkpoint(path, out, NULL);
  if (status != SCIARA_OK) sciara_checkpoint_free(out);
  return status;
}

enum sciara_status sciara_checkpoint_read_state(const char *path, const struct sciara_checkpoint *c,
                                                struct sciara_state *s) {
  if (c->identity.grid.rows != s->grid.rows || c->identity.grid.cols != s->grid.cols)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: another DEM: expected %" PRId64 " rows x %" PRId64 " columns, found %" PRId64 " x %" PRId64,
                       path, c->identity.grid.rows, c->identity.grid.cols, s->grid.rows, s->grid.cols);
  SCIARA_TRY(read_checkpoint(path, c, s));
  s->step = c->step;
  s->time = c->time_s;
  s->clock = c->clock_s;
  s->initial = c->initial_m3;
  s->emitted = c->emitted_m3;
  s->added = c->added_m3;
  s->removed = c->removed_m3;
  s->solidifications = c->solidifications;
  const uint64_t found = sciara_state_checksum(s);
  if (found == c->checksum) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: the state has the checksum %016" PRIx64 ", its header says %016" PRIx64,
                     path, found, c->checksum);
}
