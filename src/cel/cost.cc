#include "src/cel/cost.h"

#include <algorithm>

#include "src/cel/domain.h"

namespace quorate::cel {
namespace {

// What it takes to walk all of a value.
std::uint64_t traversal(const Value& value) {
  switch (value.kind()) {
    case Kind::String:
    case Kind::Bytes:
      return static_cast<std::uint64_t>(static_cast<double>(value.text().size()) * kPerCharacter);
    case Kind::List: {
      std::uint64_t sum = 0;
      const List& list = value.as_list();
      for (std::size_t i = 0; i < list.size(); ++i) sum += traversal(list.at(i));
      return sum;
    }
    case Kind::Map: {
      std::uint64_t sum = 0;
      const Map& map = value.as_map();
      for (std::size_t i = 0; i < map.size(); ++i) {
        const auto [key, element] = map.entry(i);
        sum += traversal(key) + traversal(element);
      }
      return sum;
    }
    default:
      return 1;
  }
}

bool fixed_equality(const Value& value) {
  switch (value.kind()) {
    case Kind::Quantity:
    case Kind::Semver:
    case Kind::Ip:
    case Kind::Cidr:
    case Kind::Url:
    case Kind::Format:
      return true;
    default:
      return false;
  }
}

std::uint64_t smaller(const Value& a, const Value& b) { return std::min(size_of(a), size_of(b)); }

// Comparing every element of a list with every other.
std::uint64_t compare_all(const Value& list) {
  double factor = 2;
  if (!list.is(Kind::List)) return 1 + kListCost;
  const std::uint64_t size = list.as_list().size();
  if (size == 0) return 1 + kListCost;
  const Kind first = list.as_list().at(0).kind();
  if (first == Kind::String || first == Kind::Bytes) factor += kPerCharacter;
  return static_cast<std::uint64_t>(static_cast<double>(size * size) * factor) + 1 + kListCost;
}

// Whether an address is in a network: both are compared as far as the network's bytes go.
std::uint64_t containment(const Value& cidr) {
  const std::uint64_t size = size_of(cidr);
  return scaled(size + size, kPerCharacter);
}

}  // namespace

CostRule ambiguous(CostRule rule) {
  switch (rule) {
    case CostRule::ListTraversal:
    case CostRule::Includes:
    case CostRule::Transform:
    case CostRule::Url:
    case CostRule::Parse:
    case CostRule::Replace:
    case CostRule::Split:
    case CostRule::Join:
    case CostRule::Find:
    case CostRule::IsCanonical:
    case CostRule::Validate:
    case CostRule::Accessor:
      return rule;
    case CostRule::CidrIp:
      return CostRule::Parse;
    case CostRule::ContainsIp:
    case CostRule::ContainsIpText:
      return CostRule::ContainsIp;
    case CostRule::ContainsCidr:
    case CostRule::ContainsCidrText:
      return CostRule::ContainsCidr;
    default:
      return CostRule::One;
  }
}

std::uint64_t call_cost(CostRule rule, std::span<const Value> args, const Value& result) {
  const auto size = [&](std::size_t i) { return size_of(args[i]); };
  switch (rule) {
    case CostRule::Free:
    case CostRule::Logical:
    case CostRule::Choice:
    case CostRule::Index:
      return 0;
    case CostRule::One:
    case CostRule::Dyn:
    case CostRule::Accessor:
    case CostRule::CidrIp:
    case CostRule::ConcatLists:
      return 1;
    case CostRule::Equality:
      return fixed_equality(args[0]) ? 1 : scaled(smaller(args[0], args[1]), kPerCharacter);
    case CostRule::Order:
      return scaled(smaller(args[0], args[1]), kPerCharacter);
    case CostRule::Concat:
      return scaled(size(0) + size(1), kPerCharacter);
    case CostRule::Affix:
      return scaled(size(1), kPerCharacter);
    case CostRule::ToBytes:
    case CostRule::ToText:
    case CostRule::Quote:
    case CostRule::FormatText:
    case CostRule::Transform:
    case CostRule::Url:
    case CostRule::Parse:
      return scaled(size(0), kPerCharacter);
    case CostRule::InList:
      return size(1);
    case CostRule::Matches:
    case CostRule::Find:
      return scaled(1 + size(0), kPerCharacter) * scaled(size(1), kPerPatternCharacter);
    case CostRule::Contains:
      return scaled(size(0), kPerCharacter) * scaled(size(1), kPerCharacter);
    case CostRule::ListTraversal:
    case CostRule::Includes:
      return traversal(args[0]);
    case CostRule::Replace:
    case CostRule::Split:
    case CostRule::IsCanonical:
      return scaled(size(0), 2 * kPerCharacter);
    case CostRule::Join:
      return scaled(size_of(result), 2 * kPerCharacter);
    case CostRule::ContainsIp:
      return containment(args[0]);
    case CostRule::ContainsIpText:
      return containment(args[0]) + scaled(size(1), kPerCharacter);
    case CostRule::ContainsCidr:
      return containment(args[0]) + scaled(size(0), kPerCharacter) + 1;
    case CostRule::ContainsCidrText:
      return containment(args[0]) + scaled(size(0), kPerCharacter) + 1 +
             scaled(size(1), kPerCharacter);
    case CostRule::Validate:
      if (!args[0].is(Kind::Format)) return 1;
      return scaled(1 + size(1), kPerCharacter) *
             scaled(args[0].as_format().pattern_size, kPerPatternCharacter);
    case CostRule::SetsOnce:
      return 1 + size(0) * size(1);
    case CostRule::SetsTwice:
      return 1 + size(0) * size(1) * 2;
    case CostRule::ListSlice:
    case CostRule::ListRange:
    case CostRule::ListReverse:
      return size_of(result) + 1 + kListCost;
    case CostRule::ListFlatten: {
      const bool deep = args.size() > 1 && args[1].is(Kind::Int);
      const double depth = deep ? static_cast<double>(args[1].as_int()) : 1;
      return static_cast<std::uint64_t>(static_cast<double>(size(0)) * (depth < 0 ? 1 : depth)) +
             1 + kListCost;
    }
    case CostRule::ListDistinct:
    case CostRule::ListSort:
      return compare_all(args[0]);
    case CostRule::ListSortBy:
      return compare_all(args[1]);
  }
  return 1;
}

}  // namespace quorate::cel
