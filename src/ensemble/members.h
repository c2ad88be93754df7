// SPDX-License-Identifier: Apache-2.0
// The table members.csv: what each member of an ensemble changes in the base scenario, and which keys of it members may
// set. A table made by any other program is as good as a planned one.
#ifndef SCIARA_ENSEMBLE_MEMBERS_H
#define SCIARA_ENSEMBLE_MEMBERS_H

#include "base/text.h"

struct sciara_scenario_key;
struct sciara_scenario_spec;

enum {
  SCIARA_MEMBERS_MOST = 2500000,       ///< rows: ensemble.json, which has a hash of each, can be read
  SCIARA_MEMBER_KEYS_MOST = 256,       ///< columns with keys
  SCIARA_MEMBERS_BYTES_MOST = 1 << 30, ///< of members.csv
  SCIARA_WEIGHTS_BYTES_MOST = 1 << 27, ///< of weights.csv
};

/** What was drawn for a member, for statistics: its effusion already has it, but for the last two in a table without effusion. */
enum sciara_drawn {
  SCIARA_DRAWN_VOLUME,   ///< m3, before the rate scale multiplies it
  SCIARA_DRAWN_DURATION, ///< s
  SCIARA_DRAWN_RATE_SCALE,
  SCIARA_DRAWN_RATE_SHAPE,
  SCIARA_DRAWN_COUNT
};

/** The names of their columns. */
extern const char *const sciara_drawn_names[SCIARA_DRAWN_COUNT];

/** Zero-initialise; release with sciara_members_free. A column that a table does not have is -1 in every row. */
struct sciara_members {
  size_t count, key_count;
  char **key;   ///< key_count: "vents.0.x", "model.relaxation", as an override names them
  char **value; ///< count x key_count, row-major: JSON or a word, as `--set KEY=VALUE` takes it; "": not set
  int64_t *id;  ///< ascending, unique, >= 0
  int64_t *stratum, *replicate, *vent, *event;
  double *drawn[SCIARA_DRAWN_COUNT]; ///< NAN: not given
  double *weight;                    ///< >= 0, their sum is above 0; of weights.csv if there is one
  bool weights_given;                ///< false: neither table has weights, and each is 1
  uint64_t *hash;                    ///< of each row without its weight: what its result depends on
  char *text;                        ///< owned: the bytes of keys and values, unless each is owned by `owned`
  size_t owned;                      ///< values that were allocated one by one: 0, or count * key_count
};

/**
 * Reads a table, and its weights from a second one.
 *
 * members.csv has a line of names: id, and in any order stratum, replicate, vent, event, weight, what was drawn, and
 * keys of a scenario. Values may be quoted as in RFC 4180. weights.csv has the columns id and weight, and a row for each
 * member, in any of the forms of csv.h.
 *
 * @param weights_csv may be NULL: then the column "weight" counts, or 1 for each
 * @return SCIARA_ERR_INPUT with FILE:LINE for an invalid table: also for a negative weight, and if all are 0
 */
enum sciara_status sciara_members_read(const char *members_csv, const char *weights_csv, struct sciara_members *out);

/** As sciara_members_read without weights: a table that another program or a person wrote, in any of the forms of csv.h. */
enum sciara_status sciara_members_read_table(const char *path, struct sciara_members *out);

/** Writes both tables, each as an atomic file; a path may be NULL. Weights have all their digits. */
enum sciara_status sciara_members_write(const struct sciara_members *m, const char *members_csv,
                                        const char *weights_csv);

/** Allocates a table whose values are all "", with the ids 0, 1, ... and -1 in the other columns. */
enum sciara_status sciara_members_create(size_t count, const char *const *keys, size_t key_count,
                                         struct sciara_members *out);

/** Gives a table more keys, whose values are "". */
enum sciara_status sciara_members_extend(struct sciara_members *m, const char *const *keys, size_t key_count);

/** Sets one value of a table from sciara_members_create; takes a copy. */
enum sciara_status sciara_members_set(struct sciara_members *m, size_t member, size_t key, const char *value);

/** Whether a row has a value of this kind. */
bool sciara_members_have_drawn(const struct sciara_members *m, enum sciara_drawn kind);

/** Computes m->hash. */
void sciara_members_hash(struct sciara_members *m);

/** The index of the member with this id, or SIZE_MAX. */
size_t sciara_members_find(const struct sciara_members *m, int64_t id);

void sciara_members_free(struct sciara_members *m);

// ------------------------------------------------------------------------- weights that follow from an observed extent

/** The table of such weights. While it is there they take the place of the planned ones. */
#define SCIARA_ENSEMBLE_OBSERVED "weights-observed.csv"

/**
 * Writes the table as an atomic file: a line "# SENTENCE", then id, weight, planned_weight and jaccard of each member.
 *
 * @param m        with the planned weights
 * @param weight   m->count, >= 0
 * @param jaccard  m->count; NAN: the member was not finished
 * @param sentence how the weights were made; without line ends
 */
enum sciara_status sciara_observed_weights_write(const char *path, const struct sciara_members *m, const double *weight,
                                                 const double *jaccard, const char *sentence);

/**
 * Replaces the planned weights of `m`.
 *
 * @param jaccard  receives J of each member, NAN: it was not finished; release with sciara_free, also after an error
 * @param sentence receives the first line; malloc'd
 * @return SCIARA_ERR_INPUT with FILE:LINE for an invalid table, and if planned weights are no longer those of which it was made
 */
enum sciara_status sciara_observed_weights_read(const char *path, struct sciara_members *m, double **jaccard,
                                                char **sentence);

// -------------------------------------------------------------------- the keys that a member may set, in member_keys.c

// Keys that leave the site and the way of computing as they are.

/**
 * The entry of the table of scenario keys for a key as an override names it: "vents.0.x" or "vents[0].x" is that of
 * "vents[].x". SCIARA_ERR_INPUT, with the closest name, if there is none, or if a member must not set it: keys of the
 * site ("dem.path") and of the output, the engine or the boundary. The message has no context.
 *
 * @param entry may be NULL
 */
enum sciara_status sciara_member_key_check(const char *key, const struct sciara_scenario_key **entry);

/** The text in which all names of a value are the same: "vents.0.x" of "vents[00].x"; false if it is too long. */
bool sciara_member_key_plain(const char *key, char *out, size_t capacity);

/** Whether two keys name the same value: "vents.0.x" and "vents[0].x" do. */
bool sciara_member_key_same(const char *a, const char *b);

// -------------------------------------- keys of rates: "rate_scale" and "rate_shape" become the effusion of every vent

#define SCIARA_RATE_SCALE "rate_scale" ///< a factor of all effusion rates
/**
 * g, by which the rates of each vent change with time at the same volume: at the share x of the time between its first and
 * its last lava, 0 to 1, the rate is multiplied by c g^x, with x in the middle of the interval of the rate, and c such
 * that the volume stays.
 */
#define SCIARA_RATE_SHAPE "rate_shape"

/** The range of "rate_scale" or "rate_shape"; NULL: `key` is neither. */
const struct sciara_scenario_key *sciara_rate_key(const char *key);

/** Keys and values as overrides of a scenario take them. Zero-initialise; release with sciara_key_set_free. */
struct sciara_key_set {
  char **key, **value;
  size_t count;
};

/**
 * Copies keys and values; in place of "rate_scale" and "rate_shape" come "vents.N.start" and "vents.N.effusion" of each vent.
 *
 * @param scenario without the changes: it has the rates; NULL: "rate_scale" and "rate_shape" are left out
 * @return SCIARA_ERR_INPUT: a value is no number in its range, no vent has rates of which "rate_shape" could change the
 *         shape, or another key changes rates too
 */
enum sciara_status sciara_key_set_make(const char *const *key, const char *const *value, size_t count,
                                       const struct sciara_scenario_spec *scenario, struct sciara_key_set *out);
void sciara_key_set_free(struct sciara_key_set *s);

/** Whether a key is one of the rates of vents, or holds them. @param whole set to whether it has all of a vent */
bool sciara_key_has_rates(const char *key, bool *whole);

#endif
