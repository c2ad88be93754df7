#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program starts no other program, so no name in a file can become a command; of some commands it becomes the program
# that is installed beside it (src/app/program.c; cli.bench). It loads two libraries:
# the part for MPI that is installed beside its own (src/comm/comm_mpi.c), and NCCL (src/comm/nccl.c), by the name of the
# system or by the variable SCIARA_NCCL of the user, never by a name in a file.
set -euo pipefail

calls='system|popen|wordexp|fork|vfork|posix_spawnp?|exec(l|le|lp|v|ve|vp|vpe|veat)|fexecve|dlopen|dlmopen'
if grep -rnE "(^|[^A-Za-z0-9_])($calls) *\(" "$SCIARA_SOURCE_DIR"/src "$SCIARA_SOURCE_DIR"/cuda |
  grep -v -e '/src/app/program.c:[0-9]*:    execv(path, words);' -e '/src/comm/comm_mpi.c:[0-9]*:  plugin = dlopen(path, ' \
    -e '/src/comm/nccl.c:[0-9]*:  library = dlopen(name ? name : "libnccl.so.2", '; then
  echo "the sources above start another program or load a library"
  exit 1
fi
for file in "$SCIARA_PROGRAM" "$SCIARA_LIBRARY"; do
  allowed=execv
  if [[ $file == "$SCIARA_LIBRARY" ]]; then allowed=dlopen; fi
  if nm -D --undefined-only "$file" | sed 's/@.*//' | grep -wE " ($calls)" | grep -vw " $allowed"; then
    echo "$file refers to the functions above"
    exit 1
  fi
done
# Does it bite?
[[ $(echo '  if (system(name)) {' | grep -cE "(^|[^A-Za-z0-9_])($calls) *\(") == 1 ]]
