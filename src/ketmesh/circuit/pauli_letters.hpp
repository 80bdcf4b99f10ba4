// Pauli letters as they are stored: upper case, checked.
#pragma once

#include <string>
#include <string_view>

namespace ketmesh {

/// Upper-case copy. Another character than I X Y Z (either case) throws CircuitError: `what`, the string, the position.
std::string checked_letters(std::string_view text, std::string_view what);

}  // namespace ketmesh
