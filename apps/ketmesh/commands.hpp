// The subcommands. Each adds its words to `app` and, when chosen, sets the session's action.
#pragma once

#include <CLI/CLI.hpp>

#include "session.hpp"

namespace ketmesh::app {

void add_run(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_encode(CLI::App& app, Session& session);
void add_doctor(CLI::App& app, Session& session);

}  // namespace ketmesh::app
