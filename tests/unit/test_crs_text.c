// SPDX-License-Identifier: Apache-2.0
// Files that the text of a CRS names.
#include "file/gdal_support.h"

static const char *const allowed[] = {
    "",
    "EPSG:32633",
    "+init=epsg:32633",
    "+proj=utm +zone=33 +datum=WGS84 +nadgrids=@null",
    "+proj=utm +zone=33 +nadgrids=us_noaa_conus.tif,@null +type=crs",
    "PROJCS[\"WGS 84 / UTM zone 33N\",EXTENSION[\"PROJ4\",\"+proj=merc +nadgrids=@null\"],AUTHORITY[\"a\",\"b/c\"]]",
    "VERT_DATUM[\"a\",2005,EXTENSION[\"PROJ4_GRIDS\",\"egm96_15.gtx\"]],UNIT[\"m / s\",1]",
    "PARAMETERFILE[\"Geoid model file\",\"us_nga_egm96.tif\",ID[\"EPSG\",8666]],ID[\"a/b\"]",
    "t_init=2020/01/01",
};

static const char *const refused[] = {
    "+init=/etc/passwd:x",
    "init=./x:y",
    "  INIT=../x:y",
    "+proj=pipeline +step +init=a/b:c",
    "+proj=utm +zone=33 +nadgrids=/x",
    "+proj=utm +zone=33 +nadgrids=a.gsb,@b/c.gsb",
    "+proj=utm +zone=33 +NADGRIDS=@~/x",
    "+proj=utm +zone=33 +geoidgrids=C:\\x",
    "+proj=xyzgridshift +grids=https://a.b/c",
    "+proj=tinshift +file=x/y",
    "+model=/x +proj=defmodel",
    "PROJCS[\"a\",EXTENSION[\"PROJ4\",\"+proj=utm +nadgrids=x/y\"]]",
    "EXTENSION[\"PROJ4_GRIDS\",\"a.gtx\",\"../b\"]",
    "parameterfile[\"a\", \"/x\"]",
    "PARAMETERFILE[\"a\",\"x/y",
};

TEST_EACH(names_without_a_folder_are_allowed, sizeof allowed / sizeof *allowed) {
  ck_assert_msg(sciara_crs_text_check("x", allowed[_i]) == SCIARA_OK, "%s: %s", allowed[_i], sciara_last_error());
}

TEST_EACH(paths_are_refused, sizeof refused / sizeof *refused) {
  ck_assert_msg(sciara_crs_text_check("dem.prj", refused[_i]) == SCIARA_ERR_INPUT, "%s", refused[_i]);
  expect_said("dem.prj: its CRS names a file by a path (");
}

RUN_TESTS()
