// How many workers a pool may have and how much memory a script may use, from the tenant's limits.
#pragma once

#include "tenant/limits.hpp"

#include <cstdint>

namespace tenantctl {

struct PoolSize {
    std::uint64_t memory_limit_mib; // PHP's memory_limit
    std::uint64_t max_children;     // pm.max_children
    bool operator==(const PoolSize&) const = default;
};

// What throttles the tenant, MemoryHigh (MemoryMax when there is none), is the budget. A quarter of
// it, 64M at most, is the master's and opcache's. Of the rest,
//
//   memory_limit  is the half, 256M at most and 8M at least: two scripts at their limit fit, and a
//                 runaway script ends with a PHP error before it throttles the whole tenant;
//   max_children  is as many workers of 48M as fit (a WordPress worker that has served some pages),
//                 256 at most, and no more than half of TasksMax, since what scripts start counts
//                 as well. It is never below 2: with 1, a site that fetches a page of its own waits
//                 for itself for ever.
//
// The budget is the tenant's. Sites of one tenant share it and may exhaust it together; the slice's
// limit holds then. 448M and 128 tasks give 192M and 8 children.
PoolSize pool_size(const Limits& limits);

// How many workers at least wait for a request (FPM makes so many more a second when they are
// short): a quarter of max_children, which is 2 of 8.
std::uint64_t least_spare_children(const PoolSize& size);

} // namespace tenantctl
