#include "controller/live/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cctype>

#include "src/objects/json_writer.h"

namespace quorate::controller {
namespace {

std::atomic<LogFormat>& chosen_format() {
  static std::atomic<LogFormat> format{LogFormat::Text};
  return format;
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warn:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// A value that readers could not tell from the next field is written in quotes.
bool needs_quotes(std::string_view value) {
  return value.empty() || std::ranges::any_of(value, [](unsigned char c) {
           return std::isspace(c) != 0 || std::iscntrl(c) != 0 || c == '"' || c == '=';
         });
}

}  // namespace

std::string log_line(LogFormat format, std::string_view message,
                     std::initializer_list<LogField> fields) {
  if (format == LogFormat::Text) {
    std::string line(message);
    for (const LogField& field : fields) {
      line.append(" ").append(field.key).append("=");
      if (needs_quotes(field.value)) {
        objects::append_quoted(line, field.value);
      } else {
        line.append(field.value);
      }
    }
    return line;
  }
  std::string line = "\"message\":";
  objects::append_quoted(line, message);
  for (const LogField& field : fields) {
    line += ',';
    objects::append_quoted(line, field.key);
    line += ':';
    if (field.bare) {
      line += field.value;
    } else {
      objects::append_quoted(line, field.value);
    }
  }
  return line;
}

void init_log(LogFormat format, LogLevel level) {
  chosen_format() = format;
  auto logger = std::make_shared<spdlog::logger>("quorate",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  const char* pattern = format == LogFormat::Json
                            ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                            : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
  logger->set_pattern(pattern, spdlog::pattern_time_type::utc);
  logger->set_level(spdlog_level(level));
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  const auto wanted = spdlog_level(level);
  spdlog::logger* logger = spdlog::default_logger_raw();
  if (logger == nullptr || !logger->should_log(wanted)) return;
  // As a string, not as a format: the text may hold braces.
  logger->log(wanted, spdlog::string_view_t(log_line(chosen_format(), message, fields)));
}

}  // namespace quorate::controller
