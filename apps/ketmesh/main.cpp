#include <string_view>

#include "commands.hpp"
#include "ketmesh/api/machine.hpp"

int main(int argc, char** argv) {
  using namespace ketmesh::app;
  Session session;
  // A usage error must be told as JSON too, and then nothing has been parsed.
  for (int i = 1; i < argc; ++i) session.json = session.json || std::string_view(argv[i]) == "--json";
  CLI::App app("Ketmesh: one quantum state vector over the memories of a laptop, of GPUs, of a cluster.", "ketmesh");
  app.set_version_flag("--version", "ketmesh " + ketmesh::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer("Exit status: 0 ok, 1 wrong input, 2 does not fit in memory, 3 not available or output failed, 4 internal, 130 interrupted.");
  try {
    add_run(app, session);
    add_plan(app, session);
    add_encode(app, session);
    add_convert(app, session);
    add_bench(app, session);
    add_doctor(app, session);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return session.job.is_first() ? app.exit(error) : 0;
    return session.job.leave(
        report_usage(error.what(), "ketmesh --help lists the subcommands, ketmesh SUBCOMMAND --help its options", session));
  }
  try {
    watch_interrupts();
    session.action();
    return session.job.leave(kOk);
  } catch (const std::exception& error) {
    return session.job.leave(report(error, session));
  }
}
