// SPDX-License-Identifier: Apache-2.0
// How bands exchange rows and agree: which GPUs can, what each band knows of the others, and what is queued for it.
// The three ways leave the same rows in the halo before the next step begins:
// peer  kernels write into the memory of the other GPU (band_border.cuh)
// host  the same kernels write into memory of the host, from which the other GPU fetches the rows (fetch_rows)
// nccl  rows and words travel between two kernels
#ifndef SCIARA_CUDA_BANDS_EXCHANGE_CUH
#define SCIARA_CUDA_BANDS_EXCHANGE_CUH

#include <cstring>

#include "bands_engine.cuh"
#include "base/log.h"
#include "engine/device_info.h"

namespace sciara_gpu {

// -------------------------------------------------------------------------------------------------------------- choice

inline bool can_access(int device, int peer) {
  int can = 0;
  return cudaDeviceCanAccessPeer(&can, device, peer) == cudaSuccess && can;
}

/** How many GPUs from `device` on can access each other's memory; at most `most`. */
inline int count_peers(int device, int most) {
  for (int n = 1; n < most; n++)
    for (int k = 0; k < n; k++)
      if (!can_access(device + n, device + k) || !can_access(device + k, device + n)) return n;
  return most;
}

/** Through NCCL if it is there, else through the host: what GPUs do that cannot access each other's memory. */
inline sciara_band_exchange without_peers(int device) {
  char why[512];
  const sciara_band_exchange exchange = sciara_nccl_load(why, sizeof why) ? SCIARA_EXCHANGE_NCCL : SCIARA_EXCHANGE_HOST;
  sciara_log(SCIARA_LOG_INFO,
             "engine cuda-bands: GPU %d and one of those before it cannot access each other's memory: exchange=%s",
             device, exchange == SCIARA_EXCHANGE_NCCL ? "nccl" : "host");
  return exchange;
}

/** The number of GPUs and their exchange: as the options say, or all that can access each other's memory. */
inline sciara_status choose_gpus(const sciara_engine_setup *setup, int *gpus, sciara_band_exchange *exchange) {
  const int wanted = setup->options.gpus, found = sciara_devices() - setup->device;
  const int most = found < MOST_BANDS ? found : MOST_BANDS;
  *exchange = (sciara_band_exchange)setup->options.exchange;
  if (wanted > most)
    return sciara_fail(
        SCIARA_ERR_DEVICE,
        "engine cuda-bands: gpus: expected at most %d, the GPUs of this machine from number %d on; found %d", most,
        setup->device, wanted);
  *gpus = wanted ? wanted : most;
  if (*exchange == SCIARA_EXCHANGE_NCCL || *exchange == SCIARA_EXCHANGE_HOST) return SCIARA_OK;
  const int peers = count_peers(setup->device, *gpus);
  if (peers < wanted && *exchange == SCIARA_EXCHANGE_PEER)
    return sciara_fail(
        SCIARA_ERR_DEVICE,
        "engine cuda-bands: GPU %d and one of those before it cannot access each other's memory: "
        "expected gpus=%d at most, or exchange=nccl or host; found gpus=%d and exchange=peer; \"nvidia-smi "
        "topo -p2p r\" shows which can",
        setup->device + peers, peers, wanted);
  *exchange = peers < wanted ? without_peers(setup->device + peers) : SCIARA_EXCHANGE_PEER;
  if (!wanted) *gpus = peers;
  return SCIARA_OK;
}

/** The number of bands; `gpus` and exchange are chosen. */
inline sciara_status choose_bands(const sciara_engine_setup *setup, int gpus, sciara_band_exchange exchange,
                                  int *bands) {
  *bands = setup->options.bands ? setup->options.bands : gpus;
  if (*bands < gpus)
    return sciara_fail(SCIARA_ERR_USAGE, "engine cuda-bands: bands: expected at least %d, one for each GPU; found %d",
                       gpus, *bands);
  if (exchange != SCIARA_EXCHANGE_NCCL || *bands == gpus) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE,
                     "engine cuda-bands: bands: expected %d, one for each GPU, because NCCL knows no other; found %d",
                     gpus, *bands);
}

/** Lets the current GPU, `device`, write into the memory of the others. */
inline sciara_status open_peers(int device, int first, int gpus) {
  for (int peer = first; peer < first + gpus; peer++) {
    if (peer == device) continue;
    const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled)
      cudaGetLastError(); // clears it
    else if (error != cudaSuccess)
      return sciara_cuda_fail(error, "cudaDeviceEnablePeerAccess");
  }
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------------------- NCCL

/** Returns from the calling function when a call of NCCL fails. `nccl` is its table. */
#define SCIARA_NCCL_TRY(call) SCIARA_TRY(sciara_nccl_check(nccl, nccl->call, #call))

inline void close_nccl(bands_engine *e) {
  for (int k = 0; k < e->communicators; k++) e->nccl->destroy(e->communicator[k]);
  e->communicators = 0;
}

/** Loads the library. */
inline sciara_status find_nccl(const sciara_nccl **out) {
  char why[512];
  *out = sciara_nccl_load(why, sizeof why);
  return *out ? SCIARA_OK
              : sciara_fail(SCIARA_ERR_DEVICE,
                            "engine cuda-bands: exchange=nccl: %s; SCIARA_NCCL in the environment can name the library",
                            why);
}

/** A communicator for each band in use. */
inline sciara_status open_nccl(bands_engine *e) {
  int device[MOST_BANDS];
  const sciara_nccl *nccl = e->nccl;
  if (e->communicators == e->count) return SCIARA_OK;
  close_nccl(e);
  for (int k = 0; k < e->count; k++) device[k] = e->bands[k]->base.setup.device;
  SCIARA_NCCL_TRY(init_all(e->communicator, e->count, device));
  e->communicators = e->count;
  return SCIARA_OK;
}

/** Queues messages of some cells of a field: those of `from` of band k, which band n receives in `to`. */
inline sciara_status send_cells(const bands_engine *e, int k, const real *field, sciara_cells from, int n,
                                real *received, sciara_cells to) {
  const sciara_nccl *nccl = e->nccl;
  const size_t bytes = (size_t)(from.end - from.begin) * sizeof *field;
  SCIARA_NCCL_TRY(send(field + from.begin, bytes, SCIARA_NCCL_BYTE, n, e->communicator[k], e->bands[k]->base.stream));
  SCIARA_NCCL_TRY(
      receive(received + to.begin, bytes, SCIARA_NCCL_BYTE, k, e->communicator[n], e->bands[n]->base.stream));
  return SCIARA_OK;
}

/** Queues the rows of band k that its neighbour in the north or south needs, if there is one. */
inline sciara_status send_rows(const bands_engine *e, int k, int side) {
  const int n = side == NORTH ? k - 1 : k + 1, back = side == NORTH ? SOUTH : NORTH;
  if (n < 0 || n >= e->count) return SCIARA_OK;
  const band *b = e->bands[k], *other = e->bands[n];
  const sciara_fields *f = &b->base.device.f, *to = &other->base.device.f;
  const sciara_cells edge = own_edge(b, side, SCIARA_HALO_ROWS), outermost = own_edge(b, side, 1);
  const sciara_cells halo = halo_of(other, back, SCIARA_HALO_ROWS), nearer = halo_of(other, back, 1);
  SCIARA_TRY(send_cells(e, k, f->z, edge, n, to->z, halo));
  SCIARA_TRY(send_cells(e, k, f->h, edge, n, to->h, halo));
  SCIARA_TRY(send_cells(e, k, f->T, outermost, n, to->T, nearer));
  SCIARA_TRY(send_cells(e, k, f->px, outermost, n, to->px, nearer));
  return send_cells(e, k, f->py, outermost, n, to->py, nearer);
}

/** What the words of a meeting become. */
enum combination { SMALLEST_WORD, ALL_FLAGS };

/** Queues what band k sends to the others: its word, and with `rows` those next to its borders. */
inline sciara_status queue_of_band(const bands_engine *e, int k, combination how, bool rows) {
  const sciara_nccl *nccl = e->nccl;
  unsigned long long *word = e->bands[k]->all.combined;
  const size_t count = how == SMALLEST_WORD ? 1 : sizeof *word;
  const int type = how == SMALLEST_WORD ? SCIARA_NCCL_WORD : SCIARA_NCCL_BYTE,
            operation = how == SMALLEST_WORD ? SCIARA_NCCL_SMALLEST : SCIARA_NCCL_LARGEST;
  if (rows) SCIARA_TRY(send_rows(e, k, NORTH));
  if (rows) SCIARA_TRY(send_rows(e, k, SOUTH));
  SCIARA_NCCL_TRY(all_reduce(word, word, count, type, operation, e->communicator[k], e->bands[k]->base.stream));
  return SCIARA_OK;
}

/** Queues the exchange between two kernels. */
inline sciara_status queue_nccl(const bands_engine *e, combination how, bool rows) {
  const sciara_nccl *nccl = e->nccl;
  sciara_status status = SCIARA_OK;
  SCIARA_NCCL_TRY(group_begin());
  for (int k = 0; k < e->count && status == SCIARA_OK; k++) status = queue_of_band(e, k, how, rows);
  const int ended = nccl->group_end(); // also of a group that has failed
  return status == SCIARA_OK ? sciara_nccl_check(nccl, ended, "group_end") : status;
}

// ---------------------------------------------------------------------------------------------------- memory of the host

/** What of the host's memory is for a band. */
struct band_mail {
  unsigned long long *words; ///< [BAND_TOPICS][MOST_BANDS], from all bands
  unsigned long long *sent;  ///< [SIDES]: the last step whose rows the neighbour has left
  real *rows[SIDES];         ///< for the neighbour: z, h, T, px, py of SCIARA_HALO_ROWS rows each
};

inline band_mail mail_of(const bands_engine *e, int k, int64_t stride) {
  const size_t words = (BAND_TOPICS * MOST_BANDS + SIDES) * sizeof(unsigned long long);
  const int64_t field = SCIARA_HALO_ROWS * stride;
  char *begin = e->mail + (size_t)k * (words + (size_t)(SIDES * 5 * field) * sizeof(real));
  unsigned long long *first = reinterpret_cast<unsigned long long *>(begin);
  real *rows = reinterpret_cast<real *>(begin + words);
  return {first, first + BAND_TOPICS * MOST_BANDS, {rows, rows + 5 * field}};
}

inline void close_mail(bands_engine *e) {
  if (e->mail) cudaFreeHost(e->mail);
  e->mail = nullptr;
  e->mail_bytes = 0;
}

/** Memory for all bands, with no words in it. No kernel is on the way. */
inline sciara_status open_mail(bands_engine *e, int64_t stride) {
  const size_t bytes = (size_t)((char *)mail_of(e, e->count, stride).words - e->mail);
  if (bytes > e->mail_bytes) {
    close_mail(e);
    SCIARA_CUDA_TRY(cudaHostAlloc((void **)&e->mail, bytes, cudaHostAllocPortable | cudaHostAllocMapped));
    e->mail_bytes = bytes;
  }
  for (int k = 0; k < e->count; k++) {
    const band_mail mail = mail_of(e, k, stride);
    memset(mail.words, 0xff, BAND_TOPICS * MOST_BANDS * sizeof *mail.words);
    memset(mail.sent, 0, SIDES * sizeof *mail.sent);
  }
  return SCIARA_OK;
}

/** Band k leaves its rows for the neighbour in the mail, as they are now and as they settle, and fetches those of the other. */
inline sciara_status use_mail(const bands_engine *e, int k, int side) {
  band *b = e->bands[k];
  const int n = side == NORTH ? k - 1 : k + 1, back = side == NORTH ? SOUTH : NORTH;
  const int64_t stride = b->base.device.f.stride, field = SCIARA_HALO_ROWS * stride;
  const band_mail mine = mail_of(e, k, stride), other = mail_of(e, n, stride);
  const sciara_fields *f = &b->base.device.f;
  const sciara_cells edge = own_edge(b, side, SCIARA_HALO_ROWS);
  const real *from[] = {f->z, f->h, f->T, f->px, f->py};
  real *to = mine.rows[side], *rows = other.rows[back];
  for (int m = 0; m < 5; m++)
    SCIARA_CUDA_TRY(cudaMemcpyAsync(to + m * field, from[m] + edge.begin, (size_t)field * sizeof(real),
                                    cudaMemcpyDeviceToHost, b->base.stream));
  b->border.copies[side] = {to, to + field, to + 2 * field, to + 3 * field, to + 4 * field, -edge.begin, nullptr};
  b->border.parcels[side] = {rows,
                             rows + field,
                             rows + 2 * field,
                             rows + 3 * field,
                             rows + 4 * field,
                             halo_of(b, side, SCIARA_HALO_ROWS),
                             halo_of(b, side, 1),
                             mine.sent + side,
                             other.sent + back};
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- borders

/** Band b writes into the memory of its neighbour n in the north or south. */
inline void use_peer(band *b, const band *n, int side) {
  band_border *border = &b->border;
  const sciara_fields *f = &n->base.device.f;
  const bool apart = b->base.setup.device != n->base.setup.device; // else the kernels are in order
  unsigned long long *about_halo = n->words + BAND_TOPICS * MOST_BANDS;
  border->copies[side] = {f->z,
                          f->h,
                          f->T,
                          f->px,
                          f->py,
                          (top_of(b) - top_of(n)) * b->base.device.f.stride,
                          apart ? about_halo + (side == NORTH ? SOUTH : NORTH) : nullptr};
  if (apart) border->moved[side] = b->words + BAND_TOPICS * MOST_BANDS + side;
}

/** What band k has to know of its neighbour in the north or south. */
inline sciara_status set_border(const bands_engine *e, int k, int side) {
  band *b = e->bands[k];
  band_border *border = &b->border;
  const int n = side == NORTH ? k - 1 : k + 1;
  border->edge[side] = border->outermost[side] = {0, 0};
  border->copies[side] = {};
  border->parcels[side] = {};
  border->moved[side] = nullptr;
  if (n < 0 || n >= e->count || e->exchange == SCIARA_EXCHANGE_NCCL) return SCIARA_OK;
  border->edge[side] = own_edge(b, side, SCIARA_HALO_ROWS);
  border->outermost[side] = own_edge(b, side, 1);
  if (e->exchange == SCIARA_EXCHANGE_HOST) return use_mail(e, k, side);
  use_peer(b, e->bands[n], side);
  return SCIARA_OK;
}

/** Tells a band how all meet. */
inline void set_meeting(const bands_engine *e, int k) {
  const int64_t stride = e->lead.base.device.f.stride;
  const bool by_mail = e->exchange == SCIARA_EXCHANGE_HOST;
  band_meeting *all = &e->bands[k]->all;
  *all = {};
  all->me = k;
  all->count = e->count;
  all->mine = by_mail ? mail_of(e, k, stride).words : e->bands[k]->words;
  for (int n = 0; n < e->count; n++) all->theirs[n] = by_mail ? mail_of(e, n, stride).words : e->bands[n]->words;
  if (e->exchange == SCIARA_EXCHANGE_NCCL) all->combined = e->bands[k]->words;
}

/** Tells all bands where the others are; waits until every one can be written to. */
inline sciara_status connect(bands_engine *e) {
  e->take_turns = false;
  if (e->exchange == SCIARA_EXCHANGE_NCCL) SCIARA_TRY(open_nccl(e));
  if (e->exchange == SCIARA_EXCHANGE_HOST) SCIARA_TRY(open_mail(e, e->lead.base.device.f.stride));
  for (int k = 0; k < e->count; k++) {
    band *b = e->bands[k];
    SCIARA_CUDA_TRY(cudaSetDevice(b->base.setup.device));
    b->border.before = top_of(b) * b->base.device.f.stride;
    SCIARA_TRY(set_border(e, k, NORTH));
    SCIARA_TRY(set_border(e, k, SOUTH));
    set_meeting(e, k);
    if (k > 0 && e->bands[k - 1]->base.setup.device == b->base.setup.device) e->take_turns = true;
  }
  return wait_for_all(e);
}

// ------------------------------------------------------------------------------------------------------------ meetings

/** Queues a kernel in which the bands meet: launch(band, how). `rows`: those of the borders travel meanwhile, if through NCCL. */
template <class Launch> sciara_status queue_meeting(const bands_engine *e, combination what, bool rows, Launch launch) {
  const bool by_nccl = e->exchange == SCIARA_EXCHANGE_NCCL;
  if (!e->take_turns && !by_nccl) return for_bands(e, [&](band *b) { launch(b, BAND_SENDS | BAND_WAITS); });
  SCIARA_TRY(for_bands(e, [&](band *b) { launch(b, BAND_SENDS); }));
  if (by_nccl) SCIARA_TRY(queue_nccl(e, what, rows));
  return for_bands(e, [&](band *b) { launch(b, BAND_WAITS); });
}

} // namespace sciara_gpu

#endif
