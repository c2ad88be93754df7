# SPDX-License-Identifier: Apache-2.0
# The page of `export --format html`: its HTML, style and scripts are in src/page, and the library holds them as one text.

file(GLOB page_parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/page/*.html ${PROJECT_SOURCE_DIR}/src/page/*.css
     ${PROJECT_SOURCE_DIR}/src/page/*.js)
set(SCIARA_PAGE_SOURCE ${PROJECT_BINARY_DIR}/generated/page_skeleton.c)
add_custom_command(
  OUTPUT ${SCIARA_PAGE_SOURCE}
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR}/src/page -D OUTPUT=${SCIARA_PAGE_SOURCE} -P
          ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${page_parts} ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
  COMMENT "Page of sciara export --format html"
  VERBATIM)
