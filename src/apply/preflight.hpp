// What must be true of a box before anything on it is changed.
#pragma once

#include "base/paths.hpp"
#include "base/result.hpp"

namespace tenantctl {

// Root, systemd as PID 1, unified cgroup v2 with the memory and pids controllers, PSI. The error
// names what is missing and the remedy. With --root= only the first is asked for.
Result<void> check_box(const Paths& paths);

} // namespace tenantctl
