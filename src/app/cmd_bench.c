// SPDX-License-Identifier: Apache-2.0
#include "app/command.h"
#include "app/common_options.h"

static const struct sciara_option options[] = {
    {"suite", 0, "quick|cpu|gpu|comm",
     "sizes of the cases; default cpu. comm: what several processes cost a step (with mpirun)"},
    {"cases", 0, "LIST",
     "etna, volcano, plane, dense, tight, sparse, separated by commas; default: all, or none if a SCENARIO is given"},
    {"engines", 0, "LIST",
     "NAME[:OPTION=VALUE]..., separated by commas, or all (the default); options: see 'sciara engines', and threads=N, "
     "block=WxH"},
    {"precision", 'p', "double|single", "precision of the fields; default double"},
    {"threads", 't', "LIST",
     "numbers of threads of engines that use threads; default 0: at most OMP_NUM_THREADS, or all cores"},
    {"repeats", 0, "N", "timed repetitions, 5 to 99; default 5; with --record at least 1"},
    {"start", 0, "N", "steps before the measurement; default: set by the suite"},
    {"warm-up", 0, "N", "steps before the first repetition; default: set by the suite"},
    {"steps", 'n', "N", "steps of a repetition; default: set by the suite"},
    {"seconds", 0, "S",
     "limit for all repetitions of an engine, which are shortened to it; default: set by the suite; 0: no limit"},
    {"records", 0, "FILE", "recorded results of serial; default: the file that comes with the program"},
    {"no-records", 0, NULL, "let serial execute all steps"},
    {"record", 0, "FILE", "measure nothing, add the results of serial to this file"},
    SCIARA_ALLOW_DRIVER_OPTION,
    {"csv", 0, "FILE", "write the result as CSV, to a name in .csv"},
    {"json", 0, "FILE", "write the result and a description of the machine as JSON, to a name in .json"},
    {"overwrite", 0, NULL, "replace the files if they exist"},
    {0},
};

const struct sciara_command sciara_cmd_bench = {
    .name = "bench",
    .ranks = SCIARA_ALL_RANKS,
    .summary = "measure engines, each only after its result was verified",
    .operands = "[SCENARIO]...",
    .operand_max = 16,
    .options = options,
    .details = "Every engine repeats the same steps; serial is always among them. A time is printed only if the final "
               "state has the\n"
               "checksum of serial (run here or recorded), or is within the limits of its class. Exit code 1: an "
               "engine did not pass.\n"
               "SCIARA_ETNA2006 names the folder with the files of the 2006 Etna eruption.\n",
    .package = "sciara",
};
