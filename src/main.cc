#include "src/cli/command_line.h"
#include "src/http/cpprest_transport.h"

int main(int argc, char** argv) {
  quorate::http::init_process();
  return quorate::cli::run(argc, argv);
}
