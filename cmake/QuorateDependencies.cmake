# Every C++ library we link. The versions that the project is built and tested with are recorded in
# docs/dependencies.md; scripts/install_packages.sh installs them.
find_package(tl-expected REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Protobuf REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(cpprestsdk REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS system)
find_package(CLI11 REQUIRED)
if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
