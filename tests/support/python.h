// SPDX-License-Identifier: Apache-2.0
// Scripts in Python that look at what a test wrote. One Python runs them all, so that modules are imported once.
#ifndef SCIARA_TESTS_PYTHON_H
#define SCIARA_TESTS_PYTHON_H

/** Starts it. To be called by main before the tests, which are processes of their own. */
void python_start(void);

/** Runs the script in the folder, in a process of its own; 0 if it ended without an exception. */
int python_run(const char *folder, const char *script);

#endif
