// SPDX-License-Identifier: Apache-2.0
// Snapshots that cannot be written leave nothing behind, and those that are damaged are refused by name.
#include <hdf5.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "snapshot_case.h"
#include "support/owned.h"

/* Writes under a limit on the size of files, which fails as on a full disk, and removes the limit again. */
static enum sciara_status write_within(rlim_t bytes, const struct sciara_snapshot_context *c,
                                       const struct sciara_state *s) {
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = bytes;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  enum sciara_status status = write_state(c, s, path);
  setrlimit(RLIMIT_FSIZE, &before);
  return status;
}

TEST(a_failed_write_leaves_the_earlier_file) {
  struct sciara_state *s = make_state(300, 520);
  struct sciara_snapshot_context c = context_of_test();
  OWNED(free_memory) char *part = sciara_format("%s.part", path);
  for (rlim_t bytes = 0; bytes < 40000; bytes += 3001) {
    expect_error(write_within(bytes, &c, s), SCIARA_ERR_IO, "00000123.nc.part", strerror(EFBIG));
    ck_assert_int_ne(access(part, F_OK), 0);
    ck_assert_int_ne(access(path, F_OK), 0);
  }
  WRITES(&c, s, path); // the library still works
  s->h[s->grid.cols * 150 + 260] = 3;
  ck_assert_int_eq(write_within(20000, &c, s), SCIARA_ERR_IO);
  s->h[s->grid.cols * 150 + 260] = 0;
  assert_fields_read_back(s, path, false);
  ck_assert_int_ne(access(part, F_OK), 0);
}

/* A real full disk: a file system of 64 KiB. Needs the right to mount one, visible to this process only. */
TEST(a_full_disk_is_reported) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", folder, "tmpfs", 0, "size=64k") != 0) {
    printf("a_full_disk_is_reported: skipped, no file system may be mounted here (%s)\n", strerror(errno));
    return;
  }
  struct sciara_state *s = make_state(300, 520);
  struct sciara_snapshot_context c = context_of_test();
  char *part = sciara_format("%s.part", path);
  enum sciara_status status = write_state(&c, s, path);
  bool left = access(part, F_OK) == 0 || access(path, F_OK) == 0;
  char *message = sciara_format("%s", sciara_last_error());
  umount(folder);
  ck_assert_int_eq(status, SCIARA_ERR_IO);
  ck_assert_msg(strstr(message, strerror(ENOSPC)) != NULL, "%s", message);
  ck_assert(!left);
  free(message);
  free(part);
}

TEST_FROM(what_cannot_be_written_is_named, 1, 4) {
  struct sciara_state *s = make_state(30, 40);
  struct sciara_snapshot_context c = context_of_test();
  c.threads = _i;
  const double kept = s->h[15 * 40 + 12];
  s->h[15 * 40 + 12] = 1e39;
  expect_error(write_state(&c, s, path), SCIARA_ERR_NUMERIC,
               "thickness is 9.9999999999999994e+38 at row 15, column 12");
  c.as_double = true;
  WRITES(&c, s, path);
  unlink(path);
  s->h[15 * 40 + 12] = NAN;
  expect_error(write_state(&c, s, path), SCIARA_ERR_NUMERIC, "nan at row 15, column 12");
  s->h[15 * 40 + 12] = kept;
  const char *starts[] = {"yesterday", "2006-06-31T00:00:00Z", "2006-07-14T24:00:00Z", "2006-07-14T23:30:00+02:00", ""};
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
    c.start = starts[i];
    expect_error(write_state(&c, s, path), SCIARA_ERR_INPUT, starts[i]);
  }
  c.start = "2006-07-14";
  ck_assert_int_ne(access(path, F_OK), 0);
  OWNED(free_memory) char *nowhere = sciara_path_join(folder, "absent/1.nc");
  expect_error(write_state(&c, s, nowhere), SCIARA_ERR_IO, strerror(ENOENT));
  WRITES(&c, s, path);
}

/* What a script does to a good snapshot, and what the diagnostic must name. */
static const struct {
  const char *script, *named;
} damages[] = {
    {"del f.attrs['sciara_snapshot_format']", "sciara_snapshot_format"},
    {"f.attrs['sciara_snapshot_format'] = 2",
     "sciara_snapshot_format: expected 1, found 2: written by another version of the program"},
    {"f.attrs['step'] = -1", "step -1"},
    {"f.attrs['step'] = 1.5", "step is not one integer"},
    {"f.attrs['checksum'] = np.bytes_('xyz')", "checksum: expected 16 hexadecimal digits, found xyz"},
    {"f.attrs['title'] = 3", "title is not one text"},
    {"del f.attrs['ledger_lost_m3']", "ledger_lost_m3"},
    {"f.attrs['clock_s'] = [1., 2.]", "clock_s"},
    {"f.attrs['title'] = np.array([b'one', b'two'])", "title is not one text"},
    {"f.attrs['west_m'] = [500010.]", "west_m"},
    {"f.attrs['north_m'] = [4180010.]", "north_m"},
    {"del f['time']; f['time'] = [0., 1.]", "expected 1 time in a snapshot, found 2"},
    {"f.attrs['cell_size_m'] = [0.]", "cell_size_m"},
    {"f['time'][0] = np.nan", "time is nan"},
    {"f['time'][0] = 3601", "axis time: expected the value of the attribute time_s, 3600.5; found 3601"},
    {"v = f['x'][...]; del f['x']; f.create_dataset('x', data=v, chunks=(3,), compression=1)",
     "x: expected values in one piece, found no values, or values in chunks"},
    {"v = f['x'][...]; del f['x']; f.create_dataset('x', shape=v.shape, dtype='f8')",
     "x: expected values in one piece, found no values, or values in chunks"},
    {"v = f['x'][...]; del f['x']; f['x'] = v.astype('f4')", "axis x: expected float64"},
    {"v = f['x'][...]; del f['x']; f['x'] = v.astype('>f8')", "axis x: expected float64"},
    {"f['kind'] = f['x'].dtype; v = f['x'][...]; del f['x']; f.create_dataset('x', data=v, dtype=f['kind'])",
     "x: expected a type of its own, found a named type"},
    {"del f['x']", "cannot open x"},
    {"del f['crs']", "cannot open crs"},
    {"put(np.zeros((1, 30, 41), 'f4'))", "speed: expected 1 x 30 x 40 values as the axes have, found 1 x 30 x 41"},
    {"put(np.zeros((30, 40), 'f4'))", "00000123.nc: expected speed with the 3 dimensions of a snapshot"},
    {"put(np.zeros((1, 30, 40), 'f8'))", "speed: expected float32 or float64"},
    {"put(np.zeros((1, 30, 40), 'i4'))", "speed: expected float32 or float64"},
    {"put(np.zeros((1, 30, 40), '>f4'))", "speed: expected float32 or float64"},
    {"put(np.zeros((1, 30, 40), 'f4'))",
     "speed: the checksum of its values is missing (attribute sciara_checksum); --allow-missing-checksum reads files "
     "of version 0.1.0 and others without one, but then damage is not noticed"},
    {"del f['speed']; f['speed'] = np.zeros((1, 30, 40), 'f4')",
     "speed: expected values in chunks, found values in one piece"},
    {"put(np.zeros((1, 30, 40), 'f4'), fletcher32=False)",
     "speed: expected shuffle, deflate and fletcher32, found other filters"},
    {"put(np.zeros((1, 30, 40), 'f4'), shuffle=False)",
     "speed: expected shuffle, deflate and fletcher32, found other filters"},
    {"put(np.zeros((1, 30, 40), 'f4'), compression='lzf')",
     "speed: expected filters that are part of HDF5, found filter 32000, which needs a plugin"},
    {"put(np.zeros((1, 30, 40), 'f4'), scaleoffset=2, shuffle=False, fletcher32=False)",
     "speed: expected shuffle, deflate and fletcher32, found other filters"},
    {"del f['speed']; f.create_dataset('speed', shape=(1, 30, 40), dtype='f4', chunks=(1, 30, 40))",
     "speed: expected shuffle, deflate and fletcher32, found other filters"},
    {"del f['speed']; f.create_group('speed')", "cannot open speed"},
    {"[f.pop(n) for n in list(f) if n not in ('time', 'y', 'x', 'crs')]", "no field"},
};

TEST_EACH(a_file_that_does_not_fit_is_refused, sizeof damages / sizeof damages[0]) {
  struct sciara_state *s = make_state(30, 40);
  struct sciara_snapshot_context c = context_of_test();
  WRITES(&c, s, path);
  OWNED(free_memory)
  char *script = sciara_format("import h5py, numpy as np\nf = h5py.File('00000123.nc', 'r+')\n"
                               "def put(values, **how):\n"
                               "  usual = dict(chunks=values.shape, shuffle=True, compression=1, fletcher32=True)\n"
                               "  del f['speed']; f.create_dataset('speed', data=values, **{**usual, **how})\n"
                               "%s\nf.close()\n",
                               damages[_i].script);
  python(script);
  struct sciara_snapshot r;
  expect_error(sciara_snapshot_open(path, &r), SCIARA_ERR_INPUT, damages[_i].named, path);
  ck_assert_ptr_null(r.path);
}

TEST(a_cut_file_is_refused) {
  struct sciara_state *s = make_state(30, 40);
  struct sciara_snapshot_context c = context_of_test();
  WRITES(&c, s, path);
  size_t count;
  OWNED(free_memory) char *bytes = read_bytes(path, &count);
  struct sciara_snapshot r;
  for (size_t n = 0; n < count; n += 499) {
    ck_assert_int_eq(truncate(path, 0), 0);
    write_bytes(path, bytes, n);
    expect_error(sciara_snapshot_open(path, &r), SCIARA_ERR_INPUT, path);
  }
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(sciara_snapshot_open(path, &r), SCIARA_ERR_IO);
  ck_assert_int_eq(sciara_snapshot_open(folder, &r), SCIARA_ERR_INPUT);
}

TEST(a_flipped_bit_in_the_data_is_found) {
  struct sciara_state *s = make_state(30, 40);
  struct sciara_snapshot_context c = context_of_test();
  WRITES(&c, s, path);
  python("import h5py\n"
         "f = h5py.File('00000123.nc', 'r'); at = f['temperature'].id.get_chunk_info(0).byte_offset; f.close()\n"
         "b = bytearray(open('00000123.nc', 'rb').read()); b[at + 9] ^= 4; open('00000123.nc', 'wb').write(b)\n");
  OWNED(sciara_snapshot_close) struct sciara_snapshot r;
  double v[1200];
  expect_ok(sciara_snapshot_open(path, &r));
  expect_ok(sciara_snapshot_read(&r, SCIARA_FIELD_THICKNESS, v));
  expect_error(sciara_snapshot_read(&r, SCIARA_FIELD_TEMPERATURE, v), SCIARA_ERR_INPUT, path, "temperature is damaged",
               "Fletcher32");
}

/* What a script does to the only chunk of `speed`, 4800 bytes without filters, and what the diagnostic says. */
static const struct {
  const char *script, *named;
} chunks[] = {
    {"put(bytes(100), 7)", "leaves out its checksum"},
    {"put(bytes(4800), 7)", "leaves out its checksum"},
    {"put(summed(zlib.compress(bytes(4800))), 1)", "leaves out its checksum"},
    {"put(zlib.compress(bytes(4800)), 4)", "leaves out its checksum"},
    {"put(summed(bytes(100)), 2)", "does not hold the bytes of a chunk"},
    {"put(summed(bytes(4800)), 2)", "expected checksum 1660c8e0e375f2ee, found 0000000000000000"},
    {"put(summed(bytes(4799)), 2)", "does not hold the bytes of a chunk"},
    {"put(summed(zlib.compress(bytes(100))), 0)", "does not hold the bytes of a chunk"},
    {"put(summed(zlib.compress(bytes(4799))), 0)", "does not hold the bytes of a chunk"},
    {"put(summed(zlib.compress(bytes(4801))), 0)", "does not hold the bytes of a chunk"},
    {"put(summed(zlib.compress(bytes(1 << 24))), 0)", "does not hold the bytes of a chunk"},
    {"put(summed(zlib.compress(bytes(range(256)) * 18)[:-9]), 0)", "inflate() failed"},
    {"put(summed(bytes(4800)), 0)", "inflate() failed"},
    {"put(bytes(1 << 20), 0)", "does not hold the bytes of a chunk"},
    {"put(b'abc', 0)", "shorter than its checksum"},
    {"again(chunks=(1, 31, 40), maxshape=(1, 60, 60), **usual)",
     "00000123.nc: speed is damaged: its chunks are larger than the dataset"},
    {"again(chunks=(1, 1, 1), **usual)", "chunks are too small"},
    // Two records of one chunk in a list without a checksum: reading finds another record than iterating does.
    {"again(chunks=(1, 30, 20), **usual); put(summed(zlib.compress(bytes(2400))), 0); put(bytes(60000), 7, 20); "
     "f.close(); "
     "b = bytearray(open('00000123.nc', 'rb').read()); key = struct.pack('<IIQQQQ', 60000, 7, 0, 0, 20, 0); "
     "at = b.index(key); b[at:at + len(key)] = struct.pack('<IIQQQQ', 60000, 7, 0, 0, 0, 0); "
     "open('00000123.nc', 'wb').write(b); f = open('00000123.nc')",
     ""},
};

static const char chunk_script[] =
    "import h5py, struct, zlib, numpy as np\n"
    "f = h5py.File('00000123.nc', 'r+')\n"
    "usual = dict(shuffle=True, compression=1, fletcher32=True)\n"
    "def summed(b):\n"
    "  one = two = 0\n"
    "  for (word,) in struct.iter_unpack('>H', b + bytes(len(b) %% 2)):\n"
    "    one = (one + word) %% 65535; two = (two + one) %% 65535\n"
    "  return b + struct.pack('<I', (two or 65535 * bool(any(b))) << 16 | (one or 65535 * bool(any(b))))\n"
    "def put(b, mask, col=0, row=0):\n"
    "  f['speed'].id.write_direct_chunk((0, row, col), b, mask)\n"
    "def again(**how):\n"
    "  v = f['speed'][...]; a = dict(f['speed'].attrs); del f['speed']; f.create_dataset('speed', data=v, **how)\n"
    "  f['speed'].attrs['sciara_checksum'] = a['sciara_checksum']\n"
    "%s\nf.close()\n";

static struct sciara_state *write_and_change(int64_t rows, int64_t cols, const char *change) {
  struct sciara_state *s = make_state(rows, cols);
  struct sciara_snapshot_context c = context_of_test();
  WRITES(&c, s, path);
  OWNED(free_memory) char *script = sciara_format(chunk_script, change);
  python(script);
  return s;
}

/* Reads the speed, which must be refused with this message. */
static void expect_damaged_speed(const struct sciara_state *s, const char *named) {
  OWNED(sciara_snapshot_close) struct sciara_snapshot r;
  OWNED(free_memory) double *v = (double *)calloc((size_t)sciara_grid_cells(&s->grid), sizeof *v);
  expect_ok(sciara_snapshot_open(path, &r));
  expect_ok(sciara_snapshot_read(&r, SCIARA_FIELD_THICKNESS, v));
  expect_error(sciara_snapshot_read(&r, SCIARA_FIELD_SPEED, v), SCIARA_ERR_INPUT, path, "speed is damaged", named);
}

// HDF5 itself would read beyond the end of some of them.
TEST_EACH(an_invalid_chunk_is_refused, sizeof chunks / sizeof chunks[0]) {
  struct sciara_state *s = write_and_change(30, 40, chunks[_i].script);
  expect_damaged_speed(s, chunks[_i].named);
}

TEST(the_last_of_many_chunks_is_checked) {
  struct sciara_state *s = write_and_change(300, 600, "put(summed(zlib.compress(bytes(100))), 0, 512, 256)");
  expect_damaged_speed(s, "does not hold the bytes of a chunk");
}

// HDF5 leaves out deflate where it makes a chunk longer; other programs may choose other chunks.
TEST_EACH(other_ways_to_store_the_same_are_read, 2) {
  static const char *const ways[] = {"v = np.frombuffer(f['speed'][...].tobytes(), 'u1').reshape(-1, 4); "
                                     "put(summed(v.T.tobytes()), 2)",
                                     "again(chunks=(1, 30, 20), **usual)"};
  struct sciara_state *s = write_and_change(30, 40, ways[_i]);
  assert_fields_read_back(s, path, false);
}

TEST(hdf5_errors_stay_the_hosts_business) {
  H5E_auto2_t before, after;
  void *before_data, *after_data;
  struct sciara_snapshot r;
  ck_assert_int_ge(H5Eget_auto2(H5E_DEFAULT, &before, &before_data), 0);
  ck_assert_int_eq(sciara_snapshot_open("/dev/null", &r), SCIARA_ERR_INPUT);
  ck_assert_int_ge(H5Eget_auto2(H5E_DEFAULT, &after, &after_data), 0);
  ck_assert(before == after && before_data == after_data && before != NULL);
  ck_assert_int_eq(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0); // nothing left open
}

int main(void) {
  python_start();
  return tests_run(&tests_here, (struct tests_setting){.seconds = 120, .setup = setup, .teardown = teardown});
}
