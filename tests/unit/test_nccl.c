// SPDX-License-Identifier: Apache-2.0
// NCCL is found where the environment says, and its functions get their arguments; here it is this program.
#include <dlfcn.h>

#include "comm/nccl.h"

void *__real_dlopen(const char *name, int flags);
void *__real_dlsym(void *library, const char *name);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlsym(void *library, const char *name);

static const char fake[] = "/of/this/test/libnccl.so";
static char here[16]; // the handle of the library
static long long seen[8];

static int note(long long call, long long a, long long b, long long c, long long d, long long e) {
  const long long all[8] = {call, a, b, c, d, e};
  memcpy(seen, all, sizeof seen);
  return 0;
}

static int get_version(int *version) {
  *version = 22703;
  return 0;
}
static int init_all(void **comm, int count, const int *device) {
  for (int k = 0; k < count; k++) comm[k] = here + device[k];
  return note('i', count, device[0], 0, 0, 0);
}
static int destroy(void *comm) { return note('d', (char *)comm - here, 0, 0, 0, 0); }
static int send(const void *data, size_t count, int type, int peer, void *comm, void *stream) {
  return note('s', *(const char *)data, (long long)count, type, peer, (char *)comm - (char *)stream);
}
static int receive(void *data, size_t count, int type, int peer, void *comm, void *stream) {
  return note('r', *(char *)data, (long long)count, type, peer, (char *)comm - (char *)stream);
}
static int all_reduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream) {
  return note('a', (const char *)to - (const char *)from, (long long)count, type, op, (char *)comm - (char *)stream);
}
static int group_start(void) { return note('(', 0, 0, 0, 0, 0); }
static int group_end(void) { return note(')', 0, 0, 0, 0, 0); }
static const char *explain(int error) { return error == 3 ? "internal error" : "?"; }

void *__wrap_dlopen(const char *name, int flags) {
  return name && strcmp(name, fake) == 0 ? here : __real_dlopen(name, flags);
}

void *__wrap_dlsym(void *library, const char *name) {
  static const struct {
    const char *name;
    void (*function)(void);
  } all[] = {{"ncclGetVersion", (void (*)(void))get_version}, {"ncclCommInitAll", (void (*)(void))init_all},
             {"ncclCommDestroy", (void (*)(void))destroy},    {"ncclSend", (void (*)(void))send},
             {"ncclRecv", (void (*)(void))receive},           {"ncclAllReduce", (void (*)(void))all_reduce},
             {"ncclGroupStart", (void (*)(void))group_start}, {"ncclGroupEnd", (void (*)(void))group_end},
             {"ncclGetErrorString", (void (*)(void))explain}};
  void *found = NULL;
  if (library != here) return __real_dlsym(library, name);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (strcmp(all[k].name, name) == 0) memcpy(&found, &all[k].function, sizeof found);
  return found;
}

static void expect_none(const char *name, const char *words) {
  char why[256] = "";
  setenv("SCIARA_NCCL", name, 1);
  ck_assert_ptr_null(sciara_nccl_load(why, sizeof why));
  ck_assert_msg(strstr(why, words), "expected \"%s\" in: %s", words, why);
}

TEST(none) {
  unsetenv("NCCL_NVLS_ENABLE");
  expect_none("/nowhere/libnccl.so", "/nowhere/libnccl.so");
  expect_none("libm.so.6", "ncclGetVersion; expected NCCL 2.7 or newer");
  ck_assert_str_eq(getenv("NCCL_NVLS_ENABLE"), "0");
  setenv("NCCL_NVLS_ENABLE", "2", 1);
  expect_none("libm.so.6", "ncclGetVersion");
  ck_assert_str_eq(getenv("NCCL_NVLS_ENABLE"), "2");
}

static void expect(long long call, long long a, long long b, long long c, long long d, long long e) {
  const long long all[8] = {call, a, b, c, d, e};
  ck_assert_int_eq(memcmp(seen, all, sizeof all), 0);
}

TEST(functions) {
  char why[256], data[] = "xy";
  void *comm[2];
  int version = 0;
  setenv("SCIARA_NCCL", fake, 1);
  const struct sciara_nccl *nccl = sciara_nccl_load(why, sizeof why);
  ck_assert_ptr_nonnull(nccl);
  ck_assert_ptr_eq(sciara_nccl_load(why, sizeof why), nccl);
  ck_assert_int_eq(nccl->version(&version), 0);
  ck_assert_int_eq(version, 22703);
  ck_assert_int_eq(nccl->init_all(comm, 2, (const int[]){4, 5}), 0);
  expect('i', 2, 4, 0, 0, 0);
  nccl->send(data, 9, SCIARA_NCCL_BYTE, 1, here + 6, here);
  expect('s', 'x', 9, 1, 1, 6);
  nccl->receive(data + 1, 8, SCIARA_NCCL_BYTE, 2, here + 7, here);
  expect('r', 'y', 8, 1, 2, 7);
  nccl->all_reduce(data, data + 1, 1, SCIARA_NCCL_WORD, SCIARA_NCCL_SMALLEST, here + 8, here);
  expect('a', 1, 1, 5, 3, 8);
  nccl->group_begin();
  expect('(', 0, 0, 0, 0, 0);
  nccl->group_end();
  expect(')', 0, 0, 0, 0, 0);
  nccl->destroy(comm[1]);
  expect('d', 5, 0, 0, 0, 0);
  expect_ok(sciara_nccl_check(nccl, 0, "send"));
  ck_assert_int_eq(sciara_nccl_check(nccl, 3, "send"), SCIARA_ERR_DEVICE);
  ck_assert_str_eq(sciara_last_error(), "NCCL: send: internal error");
}

RUN_TESTS(.one_process = true)
