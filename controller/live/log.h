#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace quorate::controller {

enum class LogFormat { Text, Json };
enum class LogLevel { Debug, Info, Warn, Error };

// key=value beside a constant message.
struct LogField {
  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(text) {}
  LogField(std::string_view name, const std::string& text) : key(name), value(text) {}
  template <std::integral Number>
  LogField(std::string_view name, Number number)
      : key(name), value(std::to_string(number)), bare(true) {}

  std::string_view key;
  std::string value;
  bool bare = false;  // a number: no quotes in JSON
};

// Once, before the first line. Lines go to standard error.
void init_log(LogFormat format, LogLevel level);

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

inline void log_debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Debug, message, fields);
}
inline void log_info(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Info, message, fields);
}
inline void log_warn(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Warn, message, fields);
}
inline void log_error(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::Error, message, fields);
}

// One line as it is written, without time and level: for tests.
std::string log_line(LogFormat format, std::string_view message,
                     std::initializer_list<LogField> fields);

}  // namespace quorate::controller
