# SPDX-License-Identifier: Apache-2.0
# CPack runs this in the tree of each package before packing: what Debian's policy requires and other systems do not.

file(GLOB trees ${CPACK_TEMPORARY_DIRECTORY}/*/usr)
foreach(usr IN LISTS trees)
  cmake_path(GET usr PARENT_PATH tree)
  cmake_path(GET tree FILENAME component)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(doc ${usr}/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})

  # The licence is one of those that every Debian system has.
  file(GLOB common ${usr}/share/doc/*/LICENSE)
  if(common)
    file(REMOVE ${common})
  endif()
  file(
    WRITE ${doc}/copyright
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: sciara\n\nFiles: *\n"
    "Copyright: 2026 The sciara developers\nLicense: Apache-2.0\n"
    " On Debian systems the full text of the Apache License 2.0 is in\n /usr/share/common-licenses/Apache-2.0.\n")
  if(NOT package STREQUAL "sciara" AND EXISTS ${usr}/share/doc/sciara)
    file(COPY ${usr}/share/doc/sciara/ DESTINATION ${doc})
    file(REMOVE_RECURSE ${usr}/share/doc/sciara)
  endif()
  file(REMOVE ${doc}/CHANGELOG.md)
  file(COPY_FILE ${CPACK_SCIARA_SOURCE}/CHANGELOG.md ${doc}/changelog)
  string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, if that is set
  file(
    WRITE ${doc}/changelog.Debian
    "sciara (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * What changed is in /usr/share/doc/${package}/changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")

  # gzip without name and time: the same input gives the same package.
  file(GLOB pages ${usr}/share/man/man1/*.1)
  foreach(file IN LISTS pages ITEMS ${doc}/changelog ${doc}/changelog.Debian)
    execute_process(COMMAND gzip -9 -n ${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()

  # Debian's zsh searches for the functions of packages in a separate folder.
  if(EXISTS ${usr}/share/zsh/site-functions)
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
endforeach()
