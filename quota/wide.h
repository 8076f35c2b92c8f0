#pragma once

namespace quorate::quota {

// 128 bits for exact products of amounts. An extension of gcc and clang, hence the marker.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): `using` cannot be marked

}  // namespace quorate::quota
