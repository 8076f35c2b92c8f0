#include "src/engine/replay.h"

#include "src/base/digest.h"
#include "src/engine/event_log.h"

namespace quorate::engine {
namespace {

std::string hex(std::uint64_t hash) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4) {
    *digit = "0123456789abcdef"[hash & 0xf];
  }
  return digits;
}

Outcome<void> compare(const std::string& what, std::uint64_t recorded, std::uint64_t replayed) {
  if (recorded == replayed) return {};
  return error(Errc::Invalid,
               what + ": recorded hash " + hex(recorded) + ", replayed " + hex(replayed));
}

tl::unexpected<Error> before_session() {
  return error(Errc::Invalid, "the recording does not start with a session");
}

}  // namespace

Outcome<void> Replay::feed(const Record& record) {
  return std::visit([this](const auto& one) { return take(one); }, record);
}

Outcome<void> Replay::take(const Session& session) {
  session_ = session;
  engine_.emplace(session.roles);
  events_ = 0;
  steps_ = 0;
  return {};
}

Outcome<void> Replay::take(const Event& event) {
  if (!engine_) return before_session();
  ++events_;
  engine_->apply(event);
  return {};
}

Outcome<void> Replay::take(const Step& step) {
  if (!engine_) return before_session();
  ++steps_;
  const auto decided = static_cast<std::int64_t>(engine_->step(step.now, step.budget).size());
  const std::string what = "step " + std::to_string(steps_) + " at " + format_micro_time(step.now);
  if (decided != step.decisions) {
    return error(Errc::Invalid, what + ": recorded " + std::to_string(step.decisions) +
                                    " decisions, replayed " + std::to_string(decided));
  }
  return compare(what, step.decision_hash, engine_->decision_hash());
}

Outcome<void> Replay::take(const Checkpoint& checkpoint) {
  if (!engine_) return before_session();
  const std::string what = "checkpoint after step " + std::to_string(steps_);
  if (auto same = compare(what + ", decisions", checkpoint.decision_hash, engine_->decision_hash());
      !same) {
    return same;
  }
  return compare(what + ", state", checkpoint.state_hash, engine_->state_hash());
}

Outcome<Replay> replay_log(std::string_view log) {
  EventLogReader reader(log);
  Replay replay;
  while (true) {
    const Outcome<std::optional<Record>> record = reader.next();
    if (!record) return tl::unexpected<Error>(record.error());
    if (!*record) return replay;
    if (const Outcome<void> fed = replay.feed(**record); !fed) {
      return tl::unexpected<Error>(fed.error());
    }
  }
}

}  // namespace quorate::engine
