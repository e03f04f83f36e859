// Parsers of what the kernel shows in cgroup files and /proc: text in, values out. The formats are
// those of Documentation/admin-guide/cgroup-v2.rst, Documentation/accounting/psi.rst and proc(5).
#pragma once

#include "tenant/status.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

// "KEY NUMBER" lines: memory.events, cpu.stat, memory.stat. Lines of another form are left out.
std::map<std::string, std::uint64_t> parse_flat_keyed(std::string_view text);

// A file of one number, where "max" is `unlimited`.
std::optional<std::uint64_t> parse_single(std::string_view text);

// memory.pressure and its kind.
std::optional<Pressure> parse_pressure(std::string_view text);

// What /proc/PID/status says of a process's powers.
struct ProcessPowers {
    std::vector<std::uint32_t> uids; // real, effective, saved, file system
    std::vector<std::uint32_t> gids;
    std::uint64_t capabilities_effective = 0;
    std::uint64_t capabilities_bounding = 0;
    bool no_new_privileges = false;
    int seccomp = 0; // 0 none, 1 strict, 2 filter
};
ProcessPowers parse_process_status(std::string_view text);

// A line of /proc/PID/mountinfo, as far as it is used.
struct Mount {
    std::string root; // within its file system
    std::string point;
    std::string options;
    std::string type;
};
std::vector<Mount> parse_mountinfo(std::string_view text);

// The path in the unified hierarchy ("0::/...") of /proc/PID/cgroup, or an empty string.
std::string parse_proc_cgroup(std::string_view text);

// A cgroup file's content; std::nullopt when the cgroup or the file is not there.
std::optional<std::string> read_cgroup_file(const std::string& cgroup, std::string_view file);

} // namespace tenantctl
