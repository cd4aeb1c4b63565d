#include "cli/app.hpp"

int main(int argc, char** argv) {
  return tfx::run_app(argc, argv);
}
