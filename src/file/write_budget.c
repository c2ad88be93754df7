// SPDX-License-Identifier: Apache-2.0
#include "file/write_budget.h"

#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t in_use;             // bytes
static uint64_t came, next_to_go; // writers that have come; the number of the one that enters next

void sciara_write_enter(size_t bytes) {
  pthread_mutex_lock(&lock);
  const uint64_t number = came++;
  while (number != next_to_go || (in_use > 0 && (in_use > SCIARA_WRITE_BUDGET || bytes > SCIARA_WRITE_BUDGET - in_use)))
    pthread_cond_wait(&changed, &lock);
  in_use += bytes;
  next_to_go++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

void sciara_write_leave(size_t bytes) {
  pthread_mutex_lock(&lock);
  in_use -= bytes;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}
