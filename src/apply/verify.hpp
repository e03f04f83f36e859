// Verification from the kernel's side: what the cgroup files and /proc show, not what units say.
#pragma once

#include "apply/box.hpp"
#include "tenant/limits.hpp"

#include <string>

namespace tenantctl {

// Reads the slice's cgroup files and compares them with the limits. A sleeping tenant has no
// cgroup: its slice is woken by a transient unit and let go again.
Result<void> verify_slice(const Box& box, const std::string& tenant, const Limits& limits);

// The socket's owner and mode; then the master, started if it does not run and stopped again: its
// user, powers, cgroup and mounts.
Result<void> verify_site(const Box& box, const std::string& tenant, const std::string& domain,
                         std::uint32_t uid);

// An HTTP answer below 500 from the site's own server block on 127.0.0.1:80.
Result<void> verify_http(const std::string& domain);

// Errc::failure when this box would accept IOWeight= and not enforce it: it takes a bfq scheduler
// or io.cost (Documentation/admin-guide/cgroup-v2.rst, "IO").
Result<void> check_io_weight_enforced();

} // namespace tenantctl
