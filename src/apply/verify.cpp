#include "apply/verify.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "cgroup/files.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <sys/stat.h>

#include <algorithm>

namespace tenantctl {

namespace {

Error differs(const std::string& what, const std::string& found, const std::string& wanted) {
    return Error{Errc::failure,
                 fmt::format("Verification failed: {} is {}, not {}", what, found, wanted)};
}

// Keeps a slice's cgroup alive while it is looked at.
class AwakeSlice {
public:
    static Result<AwakeSlice> wake(const Box& box, const std::string& tenant) {
        AwakeSlice awake(box, fmt::format("tenantctl-wake-{}.service", tenant));
        TransientService service;
        service.name = awake.unit_;
        service.description = "Keeps the slice of tenant " + tenant + " while it is verified";
        service.slice = slice_unit(tenant);
        service.argv = {"/bin/true"};
        service.remain_after_exit = true;
        TRY(box.units.start_transient(service));
        return awake;
    }
    AwakeSlice(AwakeSlice&& other) noexcept
        : box_(other.box_), unit_(std::exchange(other.unit_, {})) {}
    AwakeSlice(const AwakeSlice&) = delete;
    AwakeSlice& operator=(const AwakeSlice&) = delete;
    AwakeSlice& operator=(AwakeSlice&&) = delete;
    ~AwakeSlice() { static_cast<void>(let_go()); }

    Result<void> let_go() {
        return unit_.empty() ? Result<void>() : box_.units.stop(std::exchange(unit_, {}));
    }

private:
    AwakeSlice(const Box& box, std::string unit) : box_(box), unit_(std::move(unit)) {}

    const Box& box_;
    std::string unit_;
};

// The kernel rounds sizes down to whole pages.
std::uint64_t in_pages(std::uint64_t bytes) {
    constexpr std::uint64_t page = 4096;
    return bytes == unlimited ? bytes : bytes / page * page;
}

Result<void> compare_limits(const std::string& cgroup, const Limits& limits) {
    for (const auto& kind : limit_kinds) {
        const auto& value = limits.*kind.member;
        if (!value)
            continue;
        const auto wanted =
            kernel_value(kind, kind.unit == LimitKind::Unit::bytes ? in_pages(*value) : *value);
        const auto text = read_cgroup_file(cgroup, kind.cgroup_file);
        const auto found = text ? split(*text, '\n').front() : std::string("not there");
        if (found != wanted)
            return differs(fmt::format("{} of {}", kind.cgroup_file, cgroup), escaped(found),
                           wanted);
    }
    return {};
}

Result<void> check_socket(const std::string& path, std::uint32_t web_gid) {
    struct stat info {};
    if (lstat(path.c_str(), &info) < 0)
        return differs("socket " + path, "missing", "there");
    const auto found = fmt::format("{}:{} {:04o}", info.st_uid, info.st_gid, info.st_mode & 07777);
    const auto wanted = fmt::format("0:{} 0660", web_gid);
    return found == wanted ? Result<void>() : differs("owner and mode of " + path, found, wanted);
}

Result<void> check_powers(std::uint32_t pid, std::uint32_t uid) {
    const auto powers = parse_process_status(TRY(read_file(fmt::format("/proc/{}/status", pid))));
    const auto all_are = [&](const std::vector<std::uint32_t>& ids) {
        return ids.size() == 4 &&
               std::all_of(ids.begin(), ids.end(), [&](auto id) { return id == uid; });
    };
    const auto who = fmt::format("of PID {}", pid);
    if (!all_are(powers.uids) || !all_are(powers.gids))
        return differs(
            "user and group " + who,
            fmt::format("{}:{}", fmt::join(powers.uids, ","), fmt::join(powers.gids, ",")),
            fmt::format("{} throughout", uid));
    if (powers.capabilities_effective != 0 || powers.capabilities_bounding != 0)
        return differs(
            "capability set " + who,
            fmt::format("{:x}/{:x}", powers.capabilities_effective, powers.capabilities_bounding),
            "empty");
    if (!powers.no_new_privileges)
        return differs("NoNewPrivs " + who, "0", "1");
    if (powers.seccomp != 2)
        return differs("Seccomp " + who, std::to_string(powers.seccomp), "2 (filter)");
    return {};
}

// Of all homes it sees its own and nothing else.
Result<void> check_mounts(std::uint32_t pid, const std::string& tenant) {
    const auto mounts = parse_mountinfo(TRY(read_file(fmt::format("/proc/{}/mountinfo", pid))));
    const std::string homes = "/srv/tenants";
    const auto home = tenant_home(tenant);
    bool covered = false;
    for (const auto& mount : mounts) {
        if (mount.point == homes && mount.type == "tmpfs")
            covered = true;
        const bool inside = mount.point.starts_with(homes + "/");
        if (inside && mount.point != home && !mount.point.starts_with(home + "/"))
            return differs(fmt::format("the view of {} of PID {}", homes, pid),
                           escaped(mount.point), "its own home only");
    }
    return covered ? Result<void>()
                   : differs(fmt::format("{} of PID {}", homes, pid), "the box's own", "covered");
}

Result<void> check_process(const std::string& tenant, const std::string& domain, std::uint32_t pid,
                           std::uint32_t uid) {
    const auto wanted = slice_cgroup(tenant) + "/" + service_unit(domain);
    const auto found = parse_proc_cgroup(TRY(read_file(fmt::format("/proc/{}/cgroup", pid))));
    if (found != wanted)
        return differs(fmt::format("cgroup of PID {}", pid), escaped(found), wanted);
    TRY(check_powers(pid, uid));
    return check_mounts(pid, tenant);
}

Result<void> check_main_process(const Box& box, const std::string& tenant,
                                const std::string& domain, std::uint32_t uid) {
    const auto unit = service_unit(domain);
    const auto state = TRY(box.units.state(unit));
    if (state.main_pid == 0)
        return differs("main process of " + unit, "missing", "running");
    return check_process(tenant, domain, state.main_pid, uid);
}

// What systemctl set-property or systemctl edit left beats the slice's own file.
Error with_overrides(const Box& box, const std::string& slice, Error error) {
    const auto state = box.units.loaded_state(slice);
    std::vector<std::string> overrides;
    if (state && *state)
        for (const auto& path : (*state)->drop_in_paths)
            if (path.find("/" + slice + ".d/") != std::string::npos)
                overrides.push_back(path);
    if (!overrides.empty())
        error.message += fmt::format(
            "; what overrides the tenant's limits is {}: systemctl revert {} removes it",
            fmt::join(overrides, ", "), slice);
    return error;
}

} // namespace

Result<void> verify_slice(const Box& box, const std::string& tenant, const Limits& limits) {
    auto awake = TRY(AwakeSlice::wake(box, tenant));
    const auto compared = compare_limits(slice_cgroup(tenant), limits);
    if (!compared)
        return with_overrides(box, slice_unit(tenant), compared.error());
    return awake.let_go();
}

Result<void> verify_site(const Box& box, const std::string& tenant, const std::string& domain,
                         std::uint32_t uid) {
    struct stat sockets {};
    if (stat(std::string(box_path::sockets).c_str(), &sockets) < 0)
        return differs(std::string(box_path::sockets), "missing", "there");
    TRY(check_socket(socket_path(domain), sockets.st_gid));
    const auto unit = service_unit(domain);
    const auto before = TRY(box.units.loaded_state(unit));
    const auto was = before ? before->active_state : "inactive";
    const bool slept = was == "inactive" || was == "failed";
    // A start that is under way, also one that is being cleaned up after, may be from before the
    // change that is verified here, and fail for what that has mended. Another would join it.
    const bool settled = slept || was == "active";
    const auto started = settled ? box.units.start(unit) : box.units.restart(unit);
    auto checked = started ? check_main_process(box, tenant, domain, uid) : started;
    // Also after a failure: Restart= would try for ever what nobody has asked for.
    if (slept) {
        auto stopped = box.units.stop(unit);
        // The failure is in the error; the unit of a site that is then taken back shows none.
        if (stopped && !checked && was == "inactive")
            stopped = box.units.reset_failed(unit);
        if (checked)
            return stopped;
    }
    return checked;
}

Result<void> check_io_weight_enforced() {
    for (const auto& device : TRY(list_directory("/sys/block"))) {
        const auto scheduler =
            read_file_if_exists(fmt::format("/sys/block/{}/queue/scheduler", device));
        if (scheduler && *scheduler && (*scheduler)->find("[bfq]") != std::string::npos)
            return {};
    }
    const auto cost = read_cgroup_file("", "io.cost.qos");
    if (cost && cost->find("enable=1") != std::string::npos)
        return {};
    return Error{
        Errc::failure,
        "IOWeight would not be enforced on this box: no block device uses the bfq "
        "scheduler and io.cost is not set up; set one of them up or leave --io-weight out"};
}

} // namespace tenantctl
