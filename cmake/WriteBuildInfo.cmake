# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT with the VERSION and the state of the git checkout SOURCE; run by cmake -P at every build.

set(hash "unknown")
find_program(git git)
if(git AND EXISTS ${SOURCE}/.git)
  # safe.directory: a root build of a user's checkout is still a build of that checkout.
  execute_process(
    COMMAND ${git} -c safe.directory=${SOURCE} -C ${SOURCE} describe --always --dirty --abbrev=12 --match v[0-9]*
    OUTPUT_VARIABLE described
    RESULT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(result EQUAL 0)
    set(hash ${described})
  endif()
endif()

set(text "/* Written by the build. */\n#define SCIARA_VERSION \"${VERSION}\"\n#define SCIARA_GIT_HASH \"${hash}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
