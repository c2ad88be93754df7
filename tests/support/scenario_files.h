// SPDX-License-Identifier: Apache-2.0
// A temporary folder with a scenario and a table of rates, and functions to read it, for the tests of the scenario
// reader.
#ifndef SCIARA_TESTS_SCENARIO_FILES_H
#define SCIARA_TESTS_SCENARIO_FILES_H

#include "scenario/scenario.h"
#include "support/folder.h"

extern char scenario_path[96]; ///< FOLDER/demo.json
extern char scenario_csv[96];  ///< FOLDER/rates.csv, written by scenario_setup

extern const char scenario_minimal[]; ///< two vents, and no key that has a default
extern const char scenario_full[];    ///< every key except "initial"

/** A Check fixture: makes the folder of folder.h, and the table. */
void scenario_setup(void);

/** Writes `text` as demo.json and reads it. */
enum sciara_status scenario_read_with(const char *text, const char *const *overrides, size_t count,
                                      struct sciara_scenario_spec *s);

/** The same with at most one override (NULL: none); it must succeed. */
struct sciara_scenario_spec scenario_read_ok(const char *text, const char *override);

/** The text with the names of all fields for <FIELDS>, in a static buffer. */
const char *scenario_with_fields(const char *text);

/** The same; it must fail with an error that begins with the path of the file and `message`, which may hold <FIELDS>. */
void scenario_refused(const char *text, const char *override, const char *message);

#endif
