// SPDX-License-Identifier: Apache-2.0
// Changes to a file of a run folder that HDF5 itself makes: what it refers to, and how its values are stored.
#include <hdf5.h>
#include <string.h>

#include "file/hdf5_file.h"
#include "fuzz.h"
#include "fuzz_run_folder.h"

/** A dataset that is to be replaced. */
struct place {
  hid_t file;
  const char *name;
  hid_t type, space;
  int rank;
  hsize_t dims[4], chunk[4];
};

static hid_t create(const struct place *p, hid_t plist) {
  H5Ldelete(p->file, p->name, H5P_DEFAULT);
  return H5Dcreate2(p->file, p->name, p->type, p->space, H5P_DEFAULT, plist, H5P_DEFAULT);
}

static void external_link(const struct place *p) {
  H5Ldelete(p->file, p->name, H5P_DEFAULT);
  H5Lcreate_external(fuzz_path("secret.nc"), p->name, p->file, p->name, H5P_DEFAULT, H5P_DEFAULT);
}

static void soft_link(const struct place *p) {
  H5Lmove(p->file, p->name, p->file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/elsewhere", p->file, p->name, H5P_DEFAULT, H5P_DEFAULT);
}

static void link_beside(const struct place *p) {
  H5Lcreate_external(fuzz_path("secret.nc"), p->name, p->file, "next_to_it", H5P_DEFAULT, H5P_DEFAULT);
}

static void link_in_a_group(const struct place *p) {
  const hid_t group = H5Gcreate2(p->file, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external(fuzz_path("secret.nc"), p->name, group, p->name, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(p->file, "deep", group, "deep", H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(group);
}

static void group(const struct place *p) {
  H5Ldelete(p->file, p->name, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(p->file, p->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void drop(const struct place *p) { H5Ldelete(p->file, p->name, H5P_DEFAULT); }

static void no_checksum(const struct place *p) { H5Adelete_by_name(p->file, p->name, "sciara_checksum", H5P_DEFAULT); }

static void long_text(const struct place *p) {
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  const char *text = "of any length";
  H5Tset_size(type, H5T_VARIABLE);
  H5Adelete(p->file, "title");
  const hid_t attribute = H5Acreate2(p->file, "title", type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, &text);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

static void crs_with_a_grid(const struct place *p) {
  char text[512];
  snprintf(text, sizeof text, "LOCAL_CS[\"x\",EXTENSION[\"PROJ4\",\"+proj=longlat +nadgrids=%s\"]]",
           fuzz_path("secret"));
  const hid_t crs = H5Dopen2(p->file, "crs", H5P_DEFAULT), where = crs < 0 ? p->file : crs;
  H5Adelete(where, "crs_wkt");
  sciara_hdf5_put_text(where, "fuzz", "crs_wkt", text);
  if (crs >= 0) H5Dclose(crs);
}

static void scenario_with_rates(const struct place *p) {
  char text[512];
  snprintf(text, sizeof text,
           "{\"dem\": {\"path\": \"%s\"}, \"vents\": [{\"row\": 4, \"col\": 6, \"effusion\": {\"csv\": \"%s\"}}]}",
           fuzz_path("secret.tif"), fuzz_path("secret.csv"));
  H5Adelete(p->file, "scenario_json");
  sciara_hdf5_put_text(p->file, "fuzz", "scenario_json", text);
}

static void external_storage(const struct place *p, hid_t plist) {
  (void)p;
  H5Pset_external(plist, fuzz_path("secret"), 0, H5F_UNLIMITED);
}

static void virtual_dataset(const struct place *p, hid_t plist) {
  const char *path = fuzz_path("secret.nc");
  if (!strchr(path, '%')) H5Pset_virtual(plist, p->space, path, p->name, p->space);
}

/** For a file of the folder: a series that stays inside it, or a snapshot that is stored in another one. */
static void virtual_inside(const struct place *p, hid_t plist) {
  H5Pset_virtual(plist, p->space, "snapshots/../snapshots/00000044.nc", p->name, p->space);
}

static void contiguous(const struct place *p, hid_t plist) {
  (void)p;
  H5Pset_layout(plist, H5D_CONTIGUOUS);
}

static void compact(const struct place *p, hid_t plist) {
  (void)p;
  H5Pset_layout(plist, H5D_COMPACT);
}

static void unfiltered(const struct place *p, hid_t plist) { H5Pset_chunk(plist, p->rank, p->chunk); }

static void unsummed(const struct place *p, hid_t plist) {
  H5Pset_chunk(plist, p->rank, p->chunk);
  H5Pset_shuffle(plist);
  H5Pset_deflate(plist, 1);
}

static void plugin_filter(const struct place *p, hid_t plist) {
  H5Pset_chunk(plist, p->rank, p->chunk);
  H5Pset_filter(plist, (H5Z_filter_t)32015, H5Z_FLAG_OPTIONAL, 0, NULL);
}

/** Other links and attributes; and the same dataset, stored in another way. */
static const struct {
  const char *name;
  void (*change)(const struct place *p);
  void (*store)(const struct place *p, hid_t plist);
} changes[] = {
    {"external-link", external_link, NULL},
    {"soft-link", soft_link, NULL},
    {"link-beside", link_beside, NULL},
    {"link-in-a-group", link_in_a_group, NULL},
    {"group", group, NULL},
    {"drop", drop, NULL},
    {"no-checksum", no_checksum, NULL},
    {"long-text", long_text, NULL},
    {"crs", crs_with_a_grid, NULL},
    {"rates", scenario_with_rates, NULL},
    {"external-storage", NULL, external_storage},
    {"virtual", NULL, virtual_dataset},
    {"virtual-inside", NULL, virtual_inside},
    {"contiguous", NULL, contiguous},
    {"compact", NULL, compact},
    {"unfiltered", NULL, unfiltered},
    {"unsummed", NULL, unsummed},
    {"plugin", NULL, plugin_filter},
};

/** Values and attributes of the old dataset are copied, but not the checksum: without them it would be refused earlier. */
static void store_again(const struct place *p, void (*store)(const struct place *p, hid_t plist)) {
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  store(p, plist);
  const hid_t dataset = create(p, plist);
  if (dataset >= 0) {
    sciara_hdf5_put_text(dataset, "fuzz", "sciara_checksum", "0000000000000000");
    H5Dclose(dataset);
  }
  H5Pclose(plist);
}

static void change_dataset(hid_t file, const char *change, const char *dataset_name) {
  struct place p = {.file = file, .name = dataset_name};
  const hid_t dataset = *dataset_name ? H5Dopen2(file, dataset_name, H5P_DEFAULT) : H5I_INVALID_HID;
  if (dataset < 0) return;
  p.type = H5Dget_type(dataset);
  p.space = H5Dget_space(dataset);
  p.rank = H5Sget_simple_extent_ndims(p.space);
  if (p.rank >= 0 && p.rank <= 4) H5Sget_simple_extent_dims(p.space, p.dims, NULL);
  memcpy(p.chunk, p.dims, sizeof p.chunk);
  H5Dclose(dataset);
  for (size_t k = 0; p.rank >= 0 && p.rank <= 4 && k < sizeof changes / sizeof *changes; k++) {
    if (strcmp(changes[k].name, change) != 0) continue;
    if (changes[k].change)
      changes[k].change(&p);
    else
      store_again(&p, changes[k].store);
  }
  H5Tclose(p.type);
  H5Sclose(p.space);
}

void fuzz_run_edit_hdf5(const char *path, const char *change, const char *dataset) {
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  const hid_t file = H5Fis_hdf5(path) > 0 ? H5Fopen(path, H5F_ACC_RDWR, access) : H5I_INVALID_HID;
  if (file >= 0) change_dataset(file, change, dataset);
  if (file >= 0) H5Fclose(file);
  H5Pclose(access);
  sciara_hdf5_end(&session);
}
