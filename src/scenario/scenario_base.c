// SPDX-License-Identifier: Apache-2.0
// A member has the branches of its base, but for those that it changes: these are copied, changed, checked and filled. The
// others are references to branches that were checked and filled when the base was made.
#include "scenario/scenario_base.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/scenario_keys.h"

struct sciara_scenario_base {
  cJSON *tree;   ///< as given
  cJSON *filled; ///< with the defaults of absent keys; NULL: the tree is not valid
  struct sciara_scenario_spec values;
};

void sciara_scenario_base_free(struct sciara_scenario_base *b) {
  if (!b) return;
  cJSON_Delete(b->tree);
  cJSON_Delete(b->filled);
  sciara_scenario_free(&b->values);
  sciara_free(b);
}

const struct sciara_scenario_spec *sciara_scenario_base_values(const struct sciara_scenario_base *b) {
  return &b->values;
}

/** Reads the values of a copy of the tree, which is kept if it is valid. */
static enum sciara_status read_copy(struct sciara_scenario_base *b) {
  static const char name[] = "the base scenario";
  struct sciara_diagnostics refused = {0}, problems = {0};
  SCIARA_TRY(sciara_scenario_place_dates(b->tree));
  cJSON *copy = cJSON_Duplicate(b->tree, true);
  if (!copy) return sciara_scenario_no_memory();
  b->values = (struct sciara_scenario_spec){.alone = true, .notes = &sciara_no_notes};
  sciara_scenario_check(name, copy, &refused);
  sciara_scenario_take(name, copy, NULL, &b->values, &problems);
  const bool unknown = refused.no_memory || problems.no_memory;
  if (refused.count == 0)
    b->filled = copy;
  else
    cJSON_Delete(copy);
  sciara_diagnostics_free(&refused);
  sciara_diagnostics_free(&problems);
  return unknown ? sciara_scenario_no_memory() : SCIARA_OK;
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
  status = read_copy(b);
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

/**
 * The tree of a member before its changes: copies of the branches that it changes, references to the others. Of a base that is not
 * valid nothing is shared.
 */
static cJSON *share_branches(const struct sciara_scenario_member *m) {
  const struct sciara_scenario_base *b = m->base;
  if (!b->filled) return cJSON_Duplicate(b->tree, true);
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

void sciara_scenario_member_read(const struct sciara_scenario_member *m, bool alone, const struct sciara_notes *notes,
                                 struct sciara_scenario_spec *out, struct sciara_diagnostics *diagnostics) {
  cJSON *root = share_branches(m);
  *out = (struct sciara_scenario_spec){.alone = alone, .notes = notes};
  const enum sciara_status status = root ? apply(m, root) : sciara_scenario_no_memory();
  sciara_diagnostics_add(diagnostics, status);
  if (status == SCIARA_OK) sciara_scenario_take(m->name, root, m->base->filled, out, diagnostics);
  cJSON_Delete(root);
}

enum sciara_status sciara_scenario_member_values(const struct sciara_scenario_member *m, bool alone,
                                                 const struct sciara_notes *notes, struct sciara_scenario_spec *out) {
  struct sciara_diagnostics diagnostics = {0};
  sciara_scenario_member_read(m, alone, notes, out, &diagnostics);
  return sciara_diagnostics_end(&diagnostics);
}
