// ExecStartPre= of php-fpm@.service: whoever starts a site, it runs in its tenant's slice and under
// limits, or not at all. The service manager's own settings are not enough to go by: without its
// drop-in, or with a Slice= that does not resolve, a service runs outside of every limit.
//
// Runs as the tenant in the site's sandbox, so it reads what anybody may read.

#include "base/files.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace tenantctl {

namespace {

constexpr std::string_view pool_slice = "/tenant.slice/";
constexpr std::string_view cgroup_root = "/sys/fs/cgroup";

Error refused(std::string message) {
    return Error{Errc::invalid, std::move(message)};
}

// The slice that the site's drop-in names.
Result<std::string> intended_slice() {
    const char* slice = std::getenv("TENANTCTL_SLICE");
    if (slice == nullptr)
        return refused("The site has no drop-in that names its tenant (TENANTCTL_SLICE is not "
                       "set); run \"tenantctl apply\"");
    const std::string name(slice);
    if (!name.starts_with("tenant-") || !name.ends_with(".slice") ||
        name.find('/') != std::string::npos)
        return refused("TENANTCTL_SLICE=" + escaped(name) +
                       " is not a tenant's slice; run \"tenantctl apply\"");
    return name;
}

// This process's cgroup in the unified hierarchy.
Result<std::string> own_cgroup() {
    for (const auto& line : split(TRY(read_file("/proc/self/cgroup")), '\n'))
        if (line.starts_with("0::"))
            return line.substr(3);
    return refused("This system has no unified cgroup hierarchy; boot with "
                   "systemd.unified_cgroup_hierarchy=1");
}

// A site's service right below its tenant's slice, and nothing nested in between.
Result<void> check_place(const std::string& cgroup, const std::string& slice) {
    const auto parent = std::string(pool_slice) + slice + "/";
    const auto service = cgroup.starts_with(parent) ? cgroup.substr(parent.size()) : "";
    if (service.starts_with("php-fpm@") && service.ends_with(".service") &&
        service.find('/') == std::string::npos)
        return {};
    return refused("The site would run in " + escaped(cgroup) + " and not in " + parent +
                   "; check Slice= with \"systemctl cat\", then run \"tenantctl apply\"");
}

Result<void> check_finite(const std::string& slice, std::string_view file) {
    const auto path = std::string(cgroup_root) + std::string(pool_slice) + slice + "/";
    auto value = TRY(read_file(path + std::string(file)));
    if (!value.empty() && value.back() == '\n')
        value.pop_back();
    const bool number = !value.empty() && std::all_of(value.begin(), value.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
    if (number)
        return {};
    return refused(slice + " has no limit: " + std::string(file) + " is \"" + escaped(value, 40) +
                   "\"; run \"tenantctl apply\"");
}

Result<void> check() {
    const auto slice = TRY(intended_slice());
    const auto cgroup = TRY(own_cgroup());
    TRY(check_place(cgroup, slice));
    TRY(check_finite(slice, "memory.high"));
    return check_finite(slice, "memory.max");
}

} // namespace

} // namespace tenantctl

int main() {
    const auto checked = tenantctl::check();
    if (checked)
        return 0;
    std::cerr << "Refusing to start PHP-FPM: " << checked.error().message << "\n";
    return tenantctl::exit_status(checked.error().code);
}
