#include "tenant/limits.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace tenantctl {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t memory_floor = 32 * kib * kib;
constexpr std::uint64_t tasks_floor = 8;
constexpr std::uint64_t tasks_ceiling = 4194304; // PID_MAX_LIMIT
constexpr std::uint64_t quota_ceiling = 1000000; // percent
constexpr std::uint64_t weight_ceiling = 10000;  // CGROUP_WEIGHT_MAX
// cpu.max's period, which systemd leaves at the kernel's default.
constexpr std::uint64_t quota_period_usec = 100000;

Error invalid(std::string message) {
    return Error{Errc::invalid, std::move(message)};
}

bool digit(char c) {
    return c >= '0' && c <= '9';
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

Result<std::uint64_t> parse_between(const LimitKind& kind, std::string_view text,
                                    std::uint64_t least, std::uint64_t most) {
    const auto value = parse_whole(text);
    if (!value || *value < least || *value > most)
        return invalid(fmt::format("{}: \"{}\" is not a whole number from {} to {}", kind.directive,
                                   escaped(text, 40), least, most));
    return *value;
}

} // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
    const auto shown = escaped(text, 40);
    if (text == "infinity")
        return unlimited;
    constexpr std::string_view units = "KMGT";
    const auto unit = text.empty() ? std::string_view::npos : units.find(text.back());
    if (unit == std::string_view::npos) {
        const bool bare = !text.empty() && digit(text.back());
        return invalid(
            bare ? fmt::format("\"{}\" has no unit; write {}M or {}G", shown, shown, shown)
                 : fmt::format("\"{}\" is not a size; write it as 512M or 1.5G", shown));
    }
    const auto number = text.substr(0, text.size() - 1);
    const auto dot = number.find('.');
    const auto whole = parse_whole(number.substr(0, dot));
    const auto fraction = dot == std::string_view::npos ? "" : number.substr(dot + 1);
    const auto scale = std::uint64_t{1} << (10 * (unit + 1));
    const auto parts = fraction.empty() ? std::optional<std::uint64_t>(0) : parse_whole(fraction);
    const bool dot_without_digits = dot != std::string_view::npos && fraction.empty();
    if (!whole || !parts || fraction.size() > 3 || dot_without_digits ||
        *whole > unlimited / scale / 2)
        return invalid(fmt::format("\"{}\" is not a size; write it as 512M or 1.5G", shown));
    std::uint64_t divisor = 1;
    for (std::size_t i = 0; i < fraction.size(); ++i)
        divisor *= 10;
    return *whole * scale + *parts * scale / divisor;
}

std::string format_size(std::uint64_t bytes) {
    if (bytes == unlimited)
        return "infinity";
    constexpr std::string_view units = "BKMGT";
    std::size_t unit = 0;
    auto scale = std::uint64_t{1};
    while (unit + 1 < units.size() && bytes / scale >= kib) {
        scale *= kib;
        ++unit;
    }
    if (bytes % scale == 0)
        return fmt::format("{}{}", bytes / scale, units[unit]);
    return fmt::format("{:.1f}{}", static_cast<double>(bytes) / static_cast<double>(scale),
                       units[unit]);
}

const LimitKind* find_limit(std::string_view key) {
    for (const auto& kind : limit_kinds)
        if (kind.key == key)
            return &kind;
    return nullptr;
}

Result<std::uint64_t> parse_limit(const LimitKind& kind, std::string_view text) {
    switch (kind.unit) {
    case LimitKind::Unit::bytes: {
        auto size = parse_size(text);
        if (!size)
            return wrap(std::string(kind.directive), size.error());
        return size;
    }
    case LimitKind::Unit::count:
        return parse_between(kind, text, tasks_floor, tasks_ceiling);
    case LimitKind::Unit::percent:
        if (text.empty() || text.back() != '%')
            return invalid(fmt::format("{}: \"{}\" is not a percentage; write 150% for one and a "
                                       "half CPUs",
                                       kind.directive, escaped(text, 40)));
        return parse_between(kind, text.substr(0, text.size() - 1), 1, quota_ceiling);
    case LimitKind::Unit::weight:
        break;
    }
    return parse_between(kind, text, 1, weight_ceiling);
}

std::string format_limit(const LimitKind& kind, std::uint64_t value) {
    if (value == unlimited)
        return "infinity";
    switch (kind.unit) {
    case LimitKind::Unit::bytes: {
        // Exactly, so that what is written down is what is read back.
        for (const auto& [scale, unit] : {std::pair{std::uint64_t{1} << 40, 'T'},
                                          {std::uint64_t{1} << 30, 'G'},
                                          {std::uint64_t{1} << 20, 'M'}})
            if (value >= scale && value % scale == 0)
                return fmt::format("{}{}", value / scale, unit);
        return fmt::format("{}K", value / kib);
    }
    case LimitKind::Unit::percent:
        return fmt::format("{}%", value);
    case LimitKind::Unit::count:
    case LimitKind::Unit::weight:
        break;
    }
    return std::to_string(value);
}

std::string kernel_value(const LimitKind& kind, std::uint64_t value) {
    if (kind.unit == LimitKind::Unit::percent)
        return value == unlimited
                   ? fmt::format("max {}", quota_period_usec)
                   : fmt::format("{} {}", value * quota_period_usec / 100, quota_period_usec);
    if (value == unlimited)
        return "max";
    if (kind.member == &Limits::io_weight)
        return fmt::format("default {}", value);
    return std::to_string(value);
}

Result<Limits> resolve_limits(const Limits& own, const Limits& plan) {
    Limits all = own;
    for (const auto& kind : limit_kinds)
        if (!(all.*kind.member) && kind.member != &Limits::memory_high)
            all.*kind.member = plan.*kind.member;

    if (!all.memory_max || *all.memory_max == unlimited)
        return invalid("MemoryMax: a tenant needs a finite limit; give --memory-max");
    const auto derived_high = (*all.memory_max / 8 * 7) & ~(kib * kib - 1);
    if (!all.memory_high)
        all.memory_high = own.memory_max ? derived_high : plan.memory_high.value_or(derived_high);

    for (const auto member : {&Limits::memory_high, &Limits::memory_max})
        if (*(all.*member) < memory_floor)
            return invalid(fmt::format("{} {} is below the floor of {}: PHP-FPM and one worker "
                                       "would not fit",
                                       member == &Limits::memory_high ? "MemoryHigh" : "MemoryMax",
                                       format_size(*(all.*member)), format_size(memory_floor)));
    if (*all.memory_high > *all.memory_max)
        return invalid(fmt::format("MemoryHigh {} is above MemoryMax {}: the tenant would be "
                                   "killed before it is throttled; raise --memory-max",
                                   format_size(*all.memory_high), format_size(*all.memory_max)));
    if (all.memory_low && *all.memory_low > *all.memory_high)
        return invalid(fmt::format("MemoryLow {} is above MemoryHigh {}",
                                   format_size(*all.memory_low), format_size(*all.memory_high)));
    if (all.tasks_max && *all.tasks_max < tasks_floor)
        return invalid(fmt::format("TasksMax {} is under {}: PHP-FPM would not start",
                                   *all.tasks_max, tasks_floor));
    return all;
}

} // namespace tenantctl
