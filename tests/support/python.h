// SPDX-License-Identifier: Apache-2.0
// Python scripts that check the output of a test. One Python process runs them all, so that modules are imported only
// once.
#ifndef SCIARA_TESTS_PYTHON_H
#define SCIARA_TESTS_PYTHON_H

/** Starts Python. To be called by main before the tests, which run in separate processes. */
void python_start(void);

/** Runs the script in the folder, in a separate process; 0 if it ended without an exception. */
int python_run(const char *folder, const char *script);

#endif
