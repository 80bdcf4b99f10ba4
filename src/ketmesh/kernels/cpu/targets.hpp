// Highway targets that are compiled; included before any header of Highway in every file that dispatches. One for each
// SimdLevel: Highway would otherwise build two kinds of SSE and AVX-512 and all of SVE.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
