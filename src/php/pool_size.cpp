#include "php/pool_size.hpp"

#include <algorithm>

namespace tenantctl {

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t most_reserved = 64;
constexpr std::uint64_t typical_worker = 48;
constexpr std::uint64_t least_memory_limit = 8;
constexpr std::uint64_t most_memory_limit = 256;
constexpr std::uint64_t least_children = 2;
constexpr std::uint64_t most_children = 256;

} // namespace

PoolSize pool_size(const Limits& limits) {
    const auto budget =
        std::min(limits.memory_high.value_or(unlimited), limits.memory_max.value_or(unlimited)) /
        mib;
    const auto for_workers = budget - std::min(budget / 4, most_reserved);
    const auto by_tasks = limits.tasks_max.value_or(unlimited) / 2;
    return PoolSize{
        std::clamp(for_workers / 2, least_memory_limit, most_memory_limit),
        std::clamp(std::min(for_workers / typical_worker, by_tasks), least_children, most_children),
    };
}

std::uint64_t least_spare_children(const PoolSize& size) {
    return std::max(size.max_children / 4, std::uint64_t{1});
}

} // namespace tenantctl
