# SPDX-License-Identifier: Apache-2.0
# Inserts style and scripts of src/page into its page.html and writes that as C, for each kind of page in two parts: before
# and after the data. A page contains the hashes of its own script and style: a browser runs no other.
# usage: cmake -D SOURCE=src/page -D OUTPUT=FILE.c -P EmbedPage.cmake

set(common words.js frames.js map.js charts.js page.js)
set(scripts_run ${common} main.js)
set(scripts_ensemble ${common} hazard.js main.js)
set(scripts_calibration ${common} calibration.js main.js)

# base64_sha256(OUT TEXT): in the form that Content-Security-Policy requires.
function(base64_sha256 out text)
  string(SHA256 hex "${text}")
  string(APPEND hex 00) # 33 bytes are 11 groups of three
  set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(result "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING ${hex} ${at} 6 group)
    foreach(shift IN ITEMS 18 12 6 0)
      math(EXPR letter "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING ${letters} ${letter} 1 letter)
      string(APPEND result ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING ${result} 0 43 result)
  set(${out} "${result}=" PARENT_SCOPE)
endfunction()

# c_array(OUT NAME TEXT): the bytes of the text as an array of C.
function(c_array out name text)
  file(WRITE ${OUTPUT}.part "${text}")
  file(READ ${OUTPUT}.part bytes HEX)
  file(REMOVE ${OUTPUT}.part)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(${out} "static const unsigned char ${name}[] = {\n${bytes}};\n" PARENT_SCOPE)
endfunction()

file(READ ${SOURCE}/page.html whole)
file(READ ${SOURCE}/page.css style)
string(FIND "${whole}" "@DATA@" at)
if(at LESS 0)
  message(FATAL_ERROR "${SOURCE}/page.html has no place for its data")
endif()
base64_sha256(style_hash "${style}")
string(REPLACE "@STYLE_HASH@" "${style_hash}" whole "${whole}")
string(REPLACE "@STYLE@" "${style}" whole "${whole}")

set(code "")
foreach(kind IN ITEMS run ensemble calibration)
  set(script "")
  foreach(name IN LISTS scripts_${kind})
    file(READ ${SOURCE}/${name} text)
    string(APPEND script "${text}")
  endforeach()
  base64_sha256(script_hash "${script}")
  string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${whole}")
  string(REPLACE "@SCRIPT@" "${script}" page "${page}")
  string(FIND "${page}" "@DATA@" at)
  string(SUBSTRING "${page}" 0 ${at} head)
  math(EXPR at "${at} + 6")
  string(SUBSTRING "${page}" ${at} -1 tail)
  c_array(head_code ${kind}_head "${head}")
  c_array(tail_code ${kind}_tail "${tail}")
  string(APPEND code "${head_code}\n${tail_code}\nconst struct sciara_page_skeleton sciara_page_skeleton_${kind} = {"
         "${kind}_head, sizeof ${kind}_head, ${kind}_tail, sizeof ${kind}_tail};\n\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/EmbedPage.cmake.\n#include \"page/page_skeleton.h\"\n\n${code}")
