// SPDX-License-Identifier: Apache-2.0
#include "model/inputs.h"

#include "base/hash.h"
#include "model/ground_change.h"

const struct sciara_input_info sciara_input_table[SCIARA_INPUTS] = {
    [SCIARA_INPUT_GROUND] = {"ground", "dem", "the ground"},
    [SCIARA_INPUT_CELLS] = {"cells", "dem.sea", "the cells of land, sea and NODATA"},
    [SCIARA_INPUT_EDITS] = {"edits", "dem.edits", "the edits of the ground at simulated times"},
    [SCIARA_INPUT_VENTS] = {"vents", "vents", "the cells and rates of the vents"},
    [SCIARA_INPUT_LAVA] = {"initial", "initial", "the initial lava"},
};

struct sciara_inputs sciara_inputs_of(const struct sciara_site *site, uint64_t ground,
                                      const struct sciara_vents *vents) {
  return (struct sciara_inputs){.hash = {[SCIARA_INPUT_GROUND] = ground,
                                         [SCIARA_INPUT_CELLS] = sciara_hash_bytes(
                                             SCIARA_HASH_BEGIN, site->kind, (size_t)sciara_grid_cells(&site->grid)),
                                         [SCIARA_INPUT_EDITS] = sciara_ground_changes_hash(site->changes),
                                         [SCIARA_INPUT_VENTS] = sciara_vents_hash(vents)}};
}
