# One interface target carries the language level, the warnings and the include root of every
# target of ours.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# -g1 keeps line tables for stack traces at a third of the object size of -g. NDEBUG stays unset:
# the checks of invariants are part of the program.
set(QUORATE_OPTIMIZE "-O2" CACHE STRING "The optimisation level of every target")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "${QUORATE_OPTIMIZE} -g1")

find_program(QUORATE_CCACHE ccache)
if(QUORATE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${QUORATE_CCACHE})
endif()

find_program(QUORATE_MOLD mold)
find_program(QUORATE_LLD ld.lld)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND QUORATE_LLD)
  add_link_options(-fuse-ld=lld)
elseif(QUORATE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

set(QUORATE_SANITIZE "" CACHE STRING "Value of -fsanitize= for every target (address,undefined or thread)")

add_library(quorate_options INTERFACE)
add_library(quorate::options ALIAS quorate_options)
target_compile_features(quorate_options INTERFACE cxx_std_20)
target_include_directories(quorate_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(quorate_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  -Wimplicit-fallthrough -Werror
  # Left-out members of an aggregate keep their default initializers, which is how our specs read.
  -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(quorate_options INTERFACE -Wthread-safety)
endif()
# cpprestsdk's U(x) macro breaks headers that are included after it.
target_compile_definitions(quorate_options INTERFACE _TURN_OFF_PLATFORM_STRING)
if(QUORATE_SANITIZE)
  add_compile_options(-fsanitize=${QUORATE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${QUORATE_SANITIZE})
endif()
