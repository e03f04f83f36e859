#include "apply/preflight.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>

namespace tenantctl {

namespace {

Error missing(std::string what) {
    return Error{Errc::failure, std::move(what)};
}

Result<void> check_cgroups() {
    struct statfs info {};
    if (statfs("/sys/fs/cgroup", &info) < 0 ||
        static_cast<unsigned long>(info.f_type) != CGROUP2_SUPER_MAGIC)
        return missing("/sys/fs/cgroup is not the unified cgroup v2 hierarchy, which memory.high "
                       "needs; boot with systemd.unified_cgroup_hierarchy=1");
    const auto text = read_file_if_exists("/sys/fs/cgroup/cgroup.controllers");
    auto controllers = split(text && *text ? **text : "", ' ');
    if (!controllers.empty() && controllers.back().ends_with("\n"))
        controllers.back().pop_back();
    for (const auto* needed : {"memory", "pids", "cpu"})
        if (std::find(controllers.begin(), controllers.end(), needed) == controllers.end())
            return missing(fmt::format("The cgroup controller \"{}\" is not available (there are: "
                                       "{}); is it disabled by cgroup_disable= on the kernel's "
                                       "command line?",
                                       needed, join(controllers, " ")));
    return {};
}

} // namespace

Result<void> check_box(const Paths& paths) {
    if (geteuid() != 0)
        return missing("tenantctl changes users, units and the web server: run it as root (sudo)");
    if (!paths.live())
        return {};
    if (!path_exists("/run/systemd/system"))
        return missing("systemd is not running on this machine (no /run/systemd/system); tenantctl "
                       "needs it as PID 1");
    TRY(check_cgroups());
    if (const auto psi = read_file_if_exists("/proc/pressure/memory"); !psi || !*psi)
        return missing("The kernel shows no pressure stall information (/proc/pressure/memory); "
                       "boot with psi=1");
    return {};
}

} // namespace tenantctl
