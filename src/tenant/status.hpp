// The observed state of tenants and sites. Values only; what is not known is absent.
#pragma once

#include "tenant/spec.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenantctl {

// Pressure stall information (Documentation/accounting/psi.rst): shares in percent over the last
// 10 s, totals in microseconds.
struct Pressure {
    double some_avg10 = 0;
    double full_avg10 = 0;
    std::uint64_t some_total = 0;
    std::uint64_t full_total = 0;
};

enum class SiteState {
    sleeping, // the socket listens, no process
    running,
    starting,
    failed,  // the service or the socket; the next request tries again while the socket listens
    stopped, // no socket: requests get 502
    unknown, // looked at from outside, by --root=
};
const char* to_text(SiteState state);

struct SiteStatus {
    SiteSpec spec;
    SiteState state = SiteState::unknown;
    std::uint32_t main_pid = 0;
    std::string result; // systemd's, when not "success"
};

struct TenantStatus {
    TenantSpec spec;
    Limits limits; // that count: own, else the plan's
    std::optional<std::uint32_t> uid;
    std::string slice_state; // systemd's ActiveState; empty when not known
    std::optional<std::uint64_t> memory_current;
    std::optional<std::uint64_t> memory_peak;
    std::optional<std::uint64_t> swap_current;
    std::optional<std::uint64_t> tasks;
    std::optional<std::uint64_t> cpu_usec;
    std::optional<Pressure> memory_pressure;
    std::map<std::string, std::uint64_t> memory_events; // memory.events
    std::map<std::string, std::string> kernel_limits;   // cgroup file to what it holds
    bool io_weight_inactive = false;                    // set, and this box does not enforce it
    std::vector<SiteStatus> sites;
};

} // namespace tenantctl
