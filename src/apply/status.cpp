#include "apply/status.hpp"

#include "apply/verify.hpp"
#include "base/text.hpp"
#include "cgroup/files.hpp"
#include "tenant/names.hpp"

namespace tenantctl {

namespace {

SiteState site_state(const UnitState& socket, const UnitState& service) {
    if (service.active_state == "active" || service.active_state == "reloading")
        return SiteState::running;
    if (service.active_state == "activating")
        return SiteState::starting;
    if (service.active_state == "failed" || socket.active_state == "failed")
        return SiteState::failed;
    if (socket.active_state == "active")
        return SiteState::sleeping;
    return SiteState::stopped;
}

Result<SiteStatus> read_site(const Box& box, const SiteSpec& site) {
    SiteStatus status;
    status.spec = site;
    if (!box.paths.live())
        return status;
    const auto socket = TRY(box.units.loaded_state(socket_unit(site.domain)));
    const auto service = TRY(box.units.loaded_state(service_unit(site.domain)));
    status.state = site_state(socket.value_or(UnitState{}), service.value_or(UnitState{}));
    if (service) {
        status.main_pid = service->main_pid;
        if (service->result != "success")
            status.result = service->result;
    }
    return status;
}

std::optional<std::uint64_t> read_number(const std::string& cgroup, std::string_view file) {
    const auto text = read_cgroup_file(cgroup, file);
    return text ? parse_single(*text) : std::nullopt;
}

void read_kernel(const std::string& cgroup, TenantStatus& status) {
    status.memory_current = read_number(cgroup, "memory.current");
    status.memory_peak = read_number(cgroup, "memory.peak");
    status.swap_current = read_number(cgroup, "memory.swap.current");
    status.tasks = read_number(cgroup, "pids.current");
    if (const auto text = read_cgroup_file(cgroup, "cpu.stat"))
        if (const auto stat = parse_flat_keyed(*text); stat.count("usage_usec") != 0)
            status.cpu_usec = stat.at("usage_usec");
    if (const auto text = read_cgroup_file(cgroup, "memory.pressure"))
        status.memory_pressure = parse_pressure(*text);
    if (const auto text = read_cgroup_file(cgroup, "memory.events"))
        status.memory_events = parse_flat_keyed(*text);
    for (const auto& kind : limit_kinds)
        if (const auto text = read_cgroup_file(cgroup, kind.cgroup_file))
            status.kernel_limits[std::string(kind.cgroup_file)] = split(*text, '\n').front();
}

} // namespace

Result<TenantStatus> read_status(const Box& box, const Desired& desired, const TenantSpec& tenant) {
    TenantStatus status;
    status.spec = tenant;
    const auto* plan = desired.find_plan(tenant.plan);
    status.limits = TRY(resolve_limits(tenant.limits, plan != nullptr ? plan->limits : Limits{}));
    if (const auto ids = TRY(find_user(box.paths, tenant.name)))
        status.uid = ids->uid;
    if (box.paths.live()) {
        const auto slice = TRY(box.units.loaded_state(slice_unit(tenant.name)));
        status.slice_state = slice ? slice->active_state : "inactive";
        read_kernel(slice_cgroup(tenant.name), status);
        status.io_weight_inactive = status.limits.io_weight && !check_io_weight_enforced();
    }
    for (const auto& site : tenant.sites)
        status.sites.push_back(TRY(read_site(box, site)));
    return status;
}

} // namespace tenantctl
