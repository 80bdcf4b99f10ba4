// Encoders: definitions, batches, and DistributedState::encode for one state over shards.
#pragma once

#include "ketmesh/api/state.hpp"      // IWYU pragma: export
#include "ketmesh/encode/batch.hpp"   // IWYU pragma: export
#include "ketmesh/encode/encode.hpp"  // IWYU pragma: export
#include "ketmesh/encode/files.hpp"   // IWYU pragma: export
