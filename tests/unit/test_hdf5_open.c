// SPDX-License-Identifier: Apache-2.0
// What an HDF5 file may contain for a reader to accept it (file/hdf5_file.h). References to real files, and every command,
// are tested in tests/cli/hostile_*.py; here are the cases that only HDF5's own interface can make.
#include <hdf5.h>
#include <sys/stat.h>

#include "file/hdf5_file.h"
#include "snapshot_case.h"
#include "support/owned.h"

/** A file to fill. */
static hid_t make(void) {
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert_int_ge(file, 0);
  return file;
}

static hid_t make_dataset(hid_t where, const char *name, hid_t type, hid_t plist) {
  const hsize_t dims[1] = {100};
  const hid_t space = H5Screate_simple(1, dims, NULL);
  const hid_t dataset = H5Dcreate2(where, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  ck_assert_int_ge(dataset, 0);
  H5Sclose(space);
  return dataset;
}

static void add_dataset(hid_t where, const char *name) {
  const double values[100] = {1};
  const hid_t dataset = make_dataset(where, name, H5T_IEEE_F64LE, H5P_DEFAULT);
  ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  H5Dclose(dataset);
}

/** Closes the file and opens it as a reader does. */
static enum sciara_status try_to_open(hid_t file) {
  struct sciara_hdf5_session session;
  hid_t again;
  ck_assert_int_ge(H5Fclose(file), 0);
  sciara_error_clear();
  sciara_hdf5_begin(&session);
  const enum sciara_status status = sciara_hdf5_file_open(path, &again);
  ck_assert(status == SCIARA_OK ? again >= 0 : again < 0);
  if (status == SCIARA_OK) H5Fclose(again);
  sciara_hdf5_end(&session);
  ck_assert_int_eq(sciara_hdf5_check_foreign(path), status);
  ck_assert_int_eq(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE | H5F_OBJ_GROUP | H5F_OBJ_DATASET | H5F_OBJ_ATTR),
                   0);
  return status;
}

static void expect_refused(hid_t file, const char *name, const char *found) {
  expect_error(try_to_open(file), SCIARA_ERR_INPUT, path, name, found);
}

TEST(a_plain_file_is_opened) {
  const hid_t file = make(), group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  add_dataset(file, "x");
  add_dataset(group, "y");
  ck_assert_int_ge(H5Lcreate_hard(file, "x", group, "x again", H5P_DEFAULT, H5P_DEFAULT), 0);
  H5Gclose(group);
  const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Tclose(type);
  expect_ok(try_to_open(file));
}

static bool followed;

static hid_t follow(const char *name, hid_t group, const void *data, size_t size, hid_t access, hid_t transfer) {
  (void)transfer;
  (void)name;
  (void)data;
  (void)size;
  (void)access;
  followed = true;
  return H5Oopen(group, "x", H5P_DEFAULT);
}

TEST(a_user_defined_link_is_refused) {
  const H5L_class_t class = {
      .version = 0, .id = (H5L_type_t)(H5L_TYPE_UD_MIN + 100), .comment = "test", .trav_func = follow};
  ck_assert_int_ge(H5Lregister(&class), 0);
  const hid_t file = make();
  add_dataset(file, "x");
  ck_assert_int_ge(H5Lcreate_ud(file, "odd", class.id, "data", 5, H5P_DEFAULT, H5P_DEFAULT), 0);
  expect_refused(file, "odd", "a user-defined link");
  ck_assert(!followed);
  H5Lunregister(class.id);
}

/** Groups, one inside the other. */
static hid_t make_nested(int count) {
  const hid_t file = make();
  hid_t at = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (int k = 1; k < count; k++) {
    const hid_t next = H5Gcreate2(at, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(at);
    at = next;
  }
  H5Gclose(at);
  return file;
}

TEST(groups_end_somewhere) {
  expect_ok(try_to_open(make_nested(31)));
  expect_refused(make_nested(32), "g/g/g", "expected at most 32 levels of groups");
  expect_refused(make_nested(500), "g/g/g", "expected at most 32 levels of groups");
  const hid_t file = make(), group = H5Gcreate2(file, "round", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert_int_ge(H5Lcreate_hard(file, "round", group, "round", H5P_DEFAULT, H5P_DEFAULT), 0);
  H5Gclose(group);
  expect_refused(file, "round/round", "expected at most 32 levels of groups");
}

// Two groups that contain each other several times have about 2^32 paths through them, but few objects.
TEST(a_walk_ends) {
  const hid_t file = make(), group = H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert_int_ge(H5Lcreate_hard(file, "a", group, "b", H5P_DEFAULT, H5P_DEFAULT), 0);
  ck_assert_int_ge(H5Lcreate_hard(file, "a", group, "c", H5P_DEFAULT, H5P_DEFAULT), 0);
  H5Gclose(group);
  expect_refused(file, "a/",
                 "00000123.nc: a/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b/b: expected at most 32 "
                 "levels of groups, found more");
  const hid_t wide = make();
  char name[16];
  for (int k = 0; k < 10001; k++) {
    snprintf(name, sizeof name, "%d", k);
    if (k == 0) add_dataset(wide, name);
    if (k > 0) ck_assert_int_ge(H5Lcreate_hard(wide, "0", wide, name, H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  expect_refused(wide, "", "00000123.nc: 9999: expected at most 10000 objects, found more");
}

// Groups of the older kind have no checksum over the names in them, so anyone can write names that HDF5 would refuse.
TEST(a_name_is_no_path) {
  const hid_t file = make();
  size_t count;
  add_dataset(file, "one_two");
  ck_assert_int_ge(H5Fclose(file), 0);
  OWNED(free_memory) char *bytes = read_bytes(path, &count);
  char *name = (char *)memmem(bytes, count, "one_two", 7);
  ck_assert_ptr_nonnull(name);
  name[3] = '/';
  write_bytes(path, bytes, count);
  expect_error(sciara_hdf5_check_foreign(path), SCIARA_ERR_INPUT,
               "one/two: expected names without a slash, found a slash in a name");
}

TEST(references_within_the_file_are_fine_others_are_not) {
  for (int k = 0; k < 2; k++) {
    const hid_t of = k == 0 ? H5T_STD_REF_OBJ : H5T_STD_REF_DSETREG;
    const hid_t file = make(), vlen = H5Tvlen_create(of), pair = H5Tcreate(H5T_COMPOUND, 64);
    const hsize_t two[1] = {2};
    const hid_t array = H5Tarray_create2(of, 1, two), kinds[] = {of, vlen, pair, array};
    ck_assert(H5Tinsert(pair, "number", 0, H5T_NATIVE_DOUBLE) >= 0 && H5Tinsert(pair, "deep", 16, vlen) >= 0);
    H5Fclose(file);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      const hid_t as_dataset = make();
      H5Dclose(make_dataset(as_dataset, "points", kinds[i], H5P_DEFAULT));
      if (k == 0) expect_ok(try_to_open(as_dataset));
      if (k == 1) expect_refused(as_dataset, "points", "a type that refers to something else");
      const hid_t as_attribute = make(), space = H5Screate(H5S_SCALAR);
      add_dataset(as_attribute, "x");
      const hid_t x = H5Dopen2(as_attribute, "x", H5P_DEFAULT);
      H5Aclose(H5Acreate2(x, "points", kinds[i], space, H5P_DEFAULT, H5P_DEFAULT));
      H5Dclose(x);
      H5Sclose(space);
      if (k == 0) expect_ok(try_to_open(as_attribute));
      if (k == 1) expect_refused(as_attribute, "x: attribute points", "a type that refers to something else");
      const hid_t as_type = make(), named = H5Tcopy(kinds[i]);
      H5Tcommit2(as_type, "points", named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Tclose(named);
      if (k == 0) expect_ok(try_to_open(as_type));
      if (k == 1) expect_refused(as_type, "points", "a type that refers to something else");
    }
    H5Tclose(array);
    H5Tclose(vlen);
    H5Tclose(pair);
  }
}

// A file that is not HDF5 is left to GDAL; one that is damaged is refused before.
TEST(other_files_pass_as_foreign) {
  write_text(path, "ncols 3\n");
  expect_ok(sciara_hdf5_check_foreign(path));
  FILE *f = fopen(path, "w");
  ck_assert(f && fseek(f, 2048, SEEK_SET) == 0 && fwrite("\211HDF\r\n\032\n", 8, 1, f) == 1 && fclose(f) == 0);
  ck_assert_int_eq(sciara_hdf5_check_foreign(path), SCIARA_ERR_INPUT);
}

TEST(what_is_no_file_is_refused_at_once) {
  struct sciara_hdf5_session session;
  hid_t file;
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  const char *const others[] = {path, folder, "/dev/null"};
  sciara_hdf5_begin(&session);
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    ck_assert_int_eq(sciara_hdf5_file_open(others[k], &file), SCIARA_ERR_INPUT);
  ck_assert_int_eq(sciara_hdf5_file_open("/absent/1.nc", &file), SCIARA_ERR_IO);
  sciara_hdf5_end(&session);
}

TEST(plugins_stay_the_hosts_business) {
  struct sciara_hdf5_session session;
  unsigned before, within, after;
  ck_assert_int_ge(H5PLset_loading_state(H5PL_FILTER_PLUGIN), 0);
  ck_assert_int_ge(H5PLget_loading_state(&before), 0);
  sciara_hdf5_begin(&session);
  ck_assert_int_ge(H5PLget_loading_state(&within), 0);
  sciara_hdf5_end(&session);
  ck_assert_int_ge(H5PLget_loading_state(&after), 0);
  ck_assert_uint_eq(within, 0);
  ck_assert_uint_eq(after, before);
  ck_assert_uint_ne(after, 0);
}

static hid_t pipeline_plist(int shuffle, int fletcher32, hsize_t chunk) {
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  ck_assert_int_ge(H5Pset_chunk(plist, 1, &chunk), 0);
  if (shuffle) H5Pset_shuffle(plist);
  H5Pset_deflate(plist, 1);
  if (fletcher32 > 0) H5Pset_fletcher32(plist);
  if (fletcher32 > 1) H5Pset_nbit(plist);
  return plist;
}

TEST(datasets_are_stored_as_the_program_stores_them) {
  const hid_t file = make();
  const struct {
    const char *name;
    int shuffle, fletcher32;
  } made[] = {{"good", 1, 1}, {"unshuffled", 0, 1}, {"unsummed", 1, 0}, {"more", 1, 2}};
  for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
    const hid_t plist = pipeline_plist(made[k].shuffle, made[k].fletcher32, 10);
    H5Dclose(make_dataset(file, made[k].name, H5T_IEEE_F64LE, plist));
    H5Pclose(plist);
  }
  add_dataset(file, "axis");
  H5Dclose(make_dataset(file, "unwritten", H5T_IEEE_F64LE, H5P_DEFAULT));
  H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  static const struct {
    const char *name, *found;
    enum sciara_hdf5_storage storage;
  } opened[] = {
      {"good", NULL, SCIARA_HDF5_IN_CHUNKS},
      {"axis", NULL, SCIARA_HDF5_IN_ONE_PIECE},
      {"good", "values in chunks", SCIARA_HDF5_IN_ONE_PIECE},
      {"axis", "values in one piece", SCIARA_HDF5_IN_CHUNKS},
      {"unshuffled", "other filters", SCIARA_HDF5_IN_CHUNKS},
      {"unsummed", "other filters", SCIARA_HDF5_IN_CHUNKS},
      {"more", "other filters", SCIARA_HDF5_IN_CHUNKS},
      {"unwritten", "no values", SCIARA_HDF5_IN_ONE_PIECE},
      {"group", "cannot open group", SCIARA_HDF5_IN_CHUNKS},
      {"absent", "there is no such dataset", SCIARA_HDF5_IN_CHUNKS},
  };
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  for (size_t k = 0; k < sizeof opened / sizeof *opened; k++) {
    hid_t dataset;
    const enum sciara_status status = sciara_hdf5_dataset_open(file, path, opened[k].name, opened[k].storage, &dataset);
    ck_assert_msg(status == (opened[k].found ? SCIARA_ERR_INPUT : SCIARA_OK), "%s: %s", opened[k].name,
                  sciara_last_error());
    ck_assert_msg(!opened[k].found || (strstr(sciara_last_error(), opened[k].found) && dataset < 0), "%s",
                  sciara_last_error());
    if (dataset >= 0) H5Dclose(dataset);
  }
  sciara_hdf5_end(&session);
  H5Fclose(file);
}

int main(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return tests_run(&tests_here, (struct tests_setting){.setup = setup, .teardown = folder_remove});
}
