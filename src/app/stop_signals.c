// SPDX-License-Identifier: Apache-2.0
#include "app/stop_signals.h"

#include <signal.h>
#include <stddef.h>

static int stopped_by; // the signal, or 0

static void on_signal(int signal_number) {
  __atomic_store_n(&stopped_by, signal_number, __ATOMIC_RELAXED);
  signal(signal_number, SIG_DFL); // a second one ends the program at once
}

void sciara_stop_signals_catch(void) {
  const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

const int *sciara_stop_signal(void) { return &stopped_by; }

int sciara_stop_signal_code(int code) {
  const int by = __atomic_load_n(&stopped_by, __ATOMIC_RELAXED);
  return code == 0 && by ? 128 + by : code;
}
