# SPDX-License-Identifier: Apache-2.0
"""Random numbers as src/model/random.h documents them: Philox4x32-10."""
M32 = (1 << 32) - 1


def philox(counter, key):
    """Ten rounds; the counter may have NumPy arrays of uint64."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & M32, a >> 32 ^ c[3] ^ k[1], a & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c
