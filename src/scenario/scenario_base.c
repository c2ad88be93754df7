// SPDX-License-Identifier: Apache-2.0
// A member has the branches of its base, but for those that it changes: these are copied, changed, checked and filled. The
// others are references to branches that were checked and filled when the base was made. A member with problems is read
// again from its text, so that it has the diagnostics of a scenario that a user wrote.
#include "scenario/scenario_base.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/scenario_keys.h"

struct sciara_scenario_base {
  cJSON *tree;   ///< as given
  cJSON *filled; ///< with the defaults of absent keys; NULL: the tree is not valid
};

void sciara_scenario_base_free(struct sciara_scenario_base *b) {
  if (!b) return;
  cJSON_Delete(b->tree);
  cJSON_Delete(b->filled);
  sciara_free(b);
}

/** Fills a copy of a valid tree. */
static enum sciara_status fill_copy(struct sciara_scenario_base *b) {
  struct sciara_diagnostics problems = {0};
  SCIARA_TRY(sciara_scenario_place_dates(b->tree));
  sciara_scenario_check("the base scenario", b->tree, &problems);
  const bool valid = problems.count == 0, unknown = problems.no_memory;
  sciara_diagnostics_free(&problems);
  if (unknown) return sciara_scenario_no_memory();
  if (!valid) return SCIARA_OK;
  b->filled = cJSON_Duplicate(b->tree, true);
  return b->filled ? sciara_scenario_fill(b->filled) : sciara_scenario_no_memory();
}

enum sciara_status sciara_scenario_base_make(cJSON *tree, struct sciara_scenario_base **out) {
  *out = NULL;
  struct sciara_scenario_base *b;
  enum sciara_status status = SCIARA_NEW(b, 1, "a scenario");
  if (status != SCIARA_OK) {
    cJSON_Delete(tree);
    return status;
  }
  b->tree = tree;
  status = fill_copy(b);
  if (status == SCIARA_OK)
    *out = b;
  else
    sciara_scenario_base_free(b);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- members

static enum sciara_status apply(const struct sciara_scenario_member *m, cJSON *root) {
  for (size_t k = 0; k < m->key_count; k++)
    if (*m->value[k]) {
      const enum sciara_status status = sciara_scenario_override_key(m->name, root, m->key[k], m->value[k]);
      if (status != SCIARA_OK) return status == SCIARA_ERR_USAGE ? SCIARA_ERR_INPUT : status;
    }
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_member_print(const struct sciara_scenario_member *m, struct sciara_text *out) {
  cJSON *root = cJSON_Duplicate(m->base->tree, true);
  enum sciara_status status = root ? apply(m, root) : sciara_scenario_no_memory();
  if (status == SCIARA_OK) status = sciara_json_print(root, out);
  if (status == SCIARA_OK) status = sciara_text_append(out, "\n");
  cJSON_Delete(root);
  return status;
}

/** Whether a member changes something in a branch of the top level. */
static bool changes(const struct sciara_scenario_member *m, const char *branch) {
  const size_t n = strlen(branch);
  for (size_t k = 0; k < m->key_count; k++)
    if (*m->value[k] && strncmp(m->key[k], branch, n) == 0 && (!m->key[k][n] || strchr(".[]", m->key[k][n])))
      return true;
  return false;
}

/** The tree of a member before its changes: copies of the branches that it changes, references to the others. */
static cJSON *share_branches(const struct sciara_scenario_member *m) {
  const struct sciara_scenario_base *b = m->base;
  cJSON *root = cJSON_CreateObject(), *child;
  cJSON_ArrayForEach(child, b->tree) {
    bool added;
    if (changes(m, child->string)) {
      added = sciara_json_put(root, child->string, cJSON_Duplicate(child, true));
    } else {
      cJSON *filled = cJSON_GetObjectItemCaseSensitive(b->filled, child->string);
      added = cJSON_AddItemReferenceToObject(root, child->string, filled);
    }
    if (!added) {
      cJSON_Delete(root);
      return NULL;
    }
  }
  return root;
}

/** The filled tree of a member without problems; *out is NULL for any other. */
static enum sciara_status make_tree(const struct sciara_scenario_member *m, cJSON **out) {
  struct sciara_diagnostics problems = {0};
  *out = NULL;
  if (!m->base->filled) return SCIARA_OK;
  cJSON *root = share_branches(m);
  enum sciara_status status = root ? apply(m, root) : sciara_scenario_no_memory();
  if (status == SCIARA_OK) status = sciara_scenario_place_dates(root);
  bool valid = status == SCIARA_OK;
  if (valid) sciara_scenario_check(m->name, root, &problems);
  valid = valid && problems.count == 0;
  if (valid) status = sciara_scenario_fill_from(root, m->base->filled);
  if (valid && status == SCIARA_OK)
    *out = root;
  else
    cJSON_Delete(root);
  sciara_diagnostics_free(&problems);
  return status == SCIARA_ERR_MEMORY ? status : SCIARA_OK;
}

/** Reads the text of a member. */
static enum sciara_status read_text(const struct sciara_scenario_member *m, struct sciara_scenario_spec *out,
                                    struct sciara_diagnostics *diagnostics) {
  struct sciara_text text = {0};
  const enum sciara_status status = sciara_scenario_member_print(m, &text);
  if (status == SCIARA_OK) sciara_scenario_parse_given(m->name, text.data, text.length, NULL, 0, out, diagnostics);
  sciara_text_free(&text);
  free(out->json);
  out->json = NULL;
  return status;
}

void sciara_scenario_member_read(const struct sciara_scenario_member *m, bool alone, const struct sciara_notes *notes,
                                 struct sciara_scenario_spec *out, struct sciara_diagnostics *diagnostics) {
  cJSON *root;
  *out = (struct sciara_scenario_spec){.alone = alone, .notes = notes};
  enum sciara_status status = make_tree(m, &root);
  if (status == SCIARA_OK && !root) {
    sciara_error_clear();
    status = read_text(m, out, diagnostics);
  } else if (status == SCIARA_OK) {
    status = sciara_scenario_take(m->name, root, out, diagnostics);
  }
  sciara_diagnostics_add(diagnostics, status);
  cJSON_Delete(root);
}
