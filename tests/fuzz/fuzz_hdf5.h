// SPDX-License-Identifier: Apache-2.0
// What the targets that read HDF5 files share.
#ifndef SCIARA_TESTS_FUZZ_HDF5_H
#define SCIARA_TESTS_FUZZ_HDF5_H

/** Claims that no file, dataset, group or attribute is open: leaks in HDF5's own memory are not checked (fuzz_hdf5.c). */
void fuzz_check_hdf5_closed(void);

#endif
