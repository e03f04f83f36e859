// Limits of a tenant's slice: how they are written, combined and checked.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tenantctl {

// What systemd calls "infinity" and the kernel calls "max".
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// Bytes written with a unit, as 512M or 1.5G (1024-based: K, M, G, T), or "infinity". A bare
// number is refused: nobody means 512 bytes. Errc::invalid.
Result<std::uint64_t> parse_size(std::string_view text);

// Bytes as systemd prints them: 512M, 1.5G, infinity.
std::string format_size(std::uint64_t bytes);

// Limits as somebody wrote them down; what is not set is inherited.
struct Limits {
    std::optional<std::uint64_t> memory_high;     // bytes
    std::optional<std::uint64_t> memory_max;      // bytes
    std::optional<std::uint64_t> memory_swap_max; // bytes
    std::optional<std::uint64_t> memory_low;      // bytes
    std::optional<std::uint64_t> tasks_max;
    std::optional<std::uint64_t> cpu_quota;  // percent of one CPU
    std::optional<std::uint64_t> cpu_weight; // 1-10000
    std::optional<std::uint64_t> io_weight;  // 1-10000
    bool operator==(const Limits&) const = default;
};

// One limit by all its names, for loops over them: options, TOML keys, systemd's properties and
// unit directives, cgroup files.
struct LimitKind {
    enum class Unit { bytes, count, percent, weight };
    std::optional<std::uint64_t> Limits::*member;
    std::string_view key;         // in TOML: memory_high; the option is --memory-high
    std::string_view directive;   // in a unit: MemoryHigh
    std::string_view property;    // over D-Bus: MemoryHigh, CPUQuotaPerSecUSec
    std::string_view cgroup_file; // memory.high
    Unit unit;
    const char* help;
};

inline constexpr LimitKind limit_kinds[] = {
    {&Limits::memory_high, "memory_high", "MemoryHigh", "MemoryHigh", "memory.high",
     LimitKind::Unit::bytes, "Throttle the tenant above this much memory"},
    {&Limits::memory_max, "memory_max", "MemoryMax", "MemoryMax", "memory.max",
     LimitKind::Unit::bytes, "Kill in the tenant above this much memory"},
    {&Limits::memory_swap_max, "memory_swap_max", "MemorySwapMax", "MemorySwapMax",
     "memory.swap.max", LimitKind::Unit::bytes, "Swap that the tenant may use"},
    {&Limits::memory_low, "memory_low", "MemoryLow", "MemoryLow", "memory.low",
     LimitKind::Unit::bytes, "Memory that is reclaimed from others first"},
    {&Limits::tasks_max, "tasks_max", "TasksMax", "TasksMax", "pids.max", LimitKind::Unit::count,
     "Processes and threads that the tenant may have"},
    {&Limits::cpu_quota, "cpu_quota", "CPUQuota", "CPUQuotaPerSecUSec", "cpu.max",
     LimitKind::Unit::percent, "CPU time, in percent of one CPU"},
    {&Limits::cpu_weight, "cpu_weight", "CPUWeight", "CPUWeight", "cpu.weight",
     LimitKind::Unit::weight, "Share of contended CPU time, 1-10000"},
    {&Limits::io_weight, "io_weight", "IOWeight", "IOWeight", "io.weight", LimitKind::Unit::weight,
     "Share of contended IO, 1-10000"},
};

// The kind with this TOML key, or nullptr.
const LimitKind* find_limit(std::string_view key);

// A limit's value from text: a size, a count, a percentage ("150%") or a weight. Errc::invalid.
Result<std::uint64_t> parse_limit(const LimitKind& kind, std::string_view text);

// As one writes it: 512M, 128, 150%, 100, infinity.
std::string format_limit(const LimitKind& kind, std::uint64_t value);

// What the kernel shows for it in the cgroup file: "536870912", "max", "150000 100000".
std::string kernel_value(const LimitKind& kind, std::uint64_t value);

// The limits that count for a tenant: its own, else its plan's. A MemoryHigh that nobody wrote
// beside a MemoryMax is seven eighths of it. Errc::invalid when together they make no sense: high
// above max, below the floor of 32M, TasksMax under 8, no finite MemoryMax.
Result<Limits> resolve_limits(const Limits& own, const Limits& plan);

} // namespace tenantctl
