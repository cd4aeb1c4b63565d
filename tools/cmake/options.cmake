# Build type, warnings, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
# -O3 without NDEBUG costs nothing measurable in the lessons; asserts stay in Debug and the sanitizer builds only.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

option(TFX_WERROR "treat warnings as errors" OFF)
option(TFX_NATIVE "compile for this machine's CPU" OFF)
option(TFX_GLIBCXX_CHECKS "bounds checks in the standard library" OFF)
set(TFX_SANITIZE "" CACHE STRING "sanitizers, as in -fsanitize=")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                    -Woverloaded-virtual -Wcast-align)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of impossible string sizes inside std::string itself (its bugs 105329, 105651).
  add_compile_options(-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
if(TFX_WERROR)
  add_compile_options(-Werror)
endif()
if(TFX_NATIVE)
  add_compile_options(-march=native)
endif()
if(TFX_GLIBCXX_CHECKS)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(TFX_SANITIZE)
  add_compile_options(-fsanitize=${TFX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TFX_SANITIZE})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
