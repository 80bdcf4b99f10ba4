#include "trace.hpp"

#include <nlohmann/json.hpp>

namespace ketmesh::app {

Trace::Trace() : start_(std::chrono::steady_clock::now()) {}

double Trace::now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

Trace::Callback Trace::watch(Callback next) {
  return [this, next = std::move(next)](std::uint64_t done, std::uint64_t total, const char* what) {
    const double at = now();
    events_.push_back({std::string(what) + " " + std::to_string(done) + " of " + std::to_string(total), last_, at, true});
    last_ = at;
    if (next) next(done, total, what);
  };
}

void Trace::add(const std::string& name, double begin, double end) {
  events_.push_back({name, begin, end, false});
  last_ = end;
}

std::string Trace::json(const Result& result) const {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  const auto name_thread = [&list](int thread, const char* name) {
    list.push_back({{"name", "thread_name"}, {"ph", "M"}, {"pid", 0}, {"tid", thread}, {"args", {{"name", name}}}});
  };
  name_thread(0, "phases");
  name_thread(1, "passes and exchanges");
  for (const Event& event : events_)
    list.push_back({{"name", event.name},
                    {"cat", event.pass ? "pass" : "phase"},
                    {"ph", "X"},
                    {"ts", event.begin * 1e6},
                    {"dur", (event.end - event.begin) * 1e6},
                    {"pid", 0},
                    {"tid", event.pass ? 1 : 0}});
  const Distribution& d = result.distribution;
  const Seconds& s = result.seconds;
  ordered_json object;
  object["traceEvents"] = std::move(list);
  object["displayTimeUnit"] = "ms";
  object["otherData"] = {
      {"backend", d.backend},   {"engine", d.engine},         {"precision", d.precision},       {"simd", d.simd},
      {"passes", d.passes},     {"exchanges", d.exchanges},   {"bytes_local", d.bytes_local},   {"bytes_exchanged", d.bytes_exchanged},
      {"seconds_plan", s.plan}, {"seconds_evolve", s.evolve}, {"seconds_exchange", s.exchange}, {"seconds_sample", s.sample}};
  return object.dump() + "\n";
}

}  // namespace ketmesh::app
