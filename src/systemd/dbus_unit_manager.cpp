#include "systemd/dbus_unit_manager.hpp"

#include "base/text.hpp"
#include "systemd/transient.hpp"
#include "systemd/unit_query.hpp"

#include <algorithm>
#include <array>
#include <csignal>

namespace tenantctl {

namespace {

constexpr std::string_view no_such_unit = "org.freedesktop.systemd1.NoSuchUnit";
constexpr std::string_view unit_exists = "org.freedesktop.systemd1.UnitExists";
constexpr const char* manager_object = "/org/freedesktop/systemd1";
constexpr const char* manager_interface = "org.freedesktop.systemd1.Manager";
constexpr const char* unit_interface = "org.freedesktop.systemd1.Unit";

Error failed_to(std::string_view verb, std::string_view unit, std::string_view cause) {
    return {Errc::failure,
            "Failed to " + std::string(verb) + " " + std::string(unit) + ": " + std::string(cause)};
}

Result<void> job_result(JobKind kind, std::string_view unit,
                        const std::optional<JobFailure>& failure) {
    if (failure)
        return failed_to(job_verb(kind), unit, failure->cause);
    return {};
}

// The arguments of a method that takes one string.
Bus::Arguments one_string(std::string_view text) {
    return [text = std::string(text)](sd_bus_message* call) {
        return sd_bus_message_append(call, "s", text.c_str());
    };
}

int no_arguments(sd_bus_message* /*call*/) {
    return 0;
}

// True when systemd has no such unit file, or none that is linked.
bool no_unit_file(const BusFault& fault) {
    static constexpr std::array names{no_such_unit,
                                      std::string_view("org.freedesktop.systemd1.NoSuchUnitFile"),
                                      std::string_view(SD_BUS_ERROR_FILE_NOT_FOUND)};
    return std::ranges::any_of(names, [&](std::string_view name) { return fault.is(name); });
}

} // namespace

DbusUnitManager::DbusUnitManager()
    : bus_([this](std::string_view path, std::string_view result) { jobs_.removed(path, result); }),
      jobs_(bus_) {}

std::optional<JobFailure> DbusUnitManager::run_unit_job(JobKind kind, std::string_view unit,
                                                        const char* member, Timeout timeout) {
    JobRequest request{kind, std::string(unit), member, {}};
    // "replace": a job of ours takes the place of one that is queued for the unit already.
    request.arguments = [name = request.unit](sd_bus_message* call) {
        return sd_bus_message_append(call, "ss", name.c_str(), "replace");
    };
    return jobs_.run(request, timeout);
}

Result<void> DbusUnitManager::start(std::string_view unit, Timeout timeout) {
    return job_result(JobKind::start, unit,
                      run_unit_job(JobKind::start, unit, "StartUnit", timeout));
}

Result<void> DbusUnitManager::stop(std::string_view unit, Timeout timeout) {
    auto failure = run_unit_job(JobKind::stop, unit, "StopUnit", timeout);
    // A service can make systemd wait without end (EXTEND_TIMEOUT_USEC=); a tenant's would.
    if (failure && failure->overdue && kill(unit, timeout))
        failure = run_unit_job(JobKind::stop, unit, "StopUnit", timeout);
    if (failure && failure->error_name == no_such_unit)
        return {};
    return job_result(JobKind::stop, unit, failure);
}

// Every process of the unit, and for a slice of the units in it. A socket has none: what its end
// waits for is the service behind it.
bool DbusUnitManager::kill(std::string_view unit, Timeout timeout) {
    constexpr std::string_view socket = ".socket";
    std::string target(unit);
    if (target.ends_with(socket))
        target.replace(target.size() - socket.size(), socket.size(), ".service");
    const auto arguments = [name = std::move(target)](sd_bus_message* call) {
        return sd_bus_message_append(call, "ssi", name.c_str(), "all", SIGKILL);
    };
    return static_cast<bool>(bus_.call({"KillUnit"}, arguments, Bus::Clock::now() + timeout));
}

Result<void> DbusUnitManager::restart(std::string_view unit, Timeout timeout) {
    return job_result(JobKind::restart, unit,
                      run_unit_job(JobKind::restart, unit, "RestartUnit", timeout));
}

Result<void> DbusUnitManager::reload_or_restart(std::string_view unit, Timeout timeout) {
    return job_result(JobKind::reload, unit,
                      run_unit_job(JobKind::reload, unit, "ReloadOrRestartUnit", timeout));
}

Result<void> DbusUnitManager::start_transient(const TransientService& service, Timeout timeout) {
    const JobRequest request{
        JobKind::start, service.name, "StartTransientUnit",
        [&service](sd_bus_message* call) { return append_transient_service(call, service); }};
    const auto failure = jobs_.run(request, timeout);
    if (!failure || failure->error_name != unit_exists)
        return job_result(JobKind::start, service.name, failure);
    if (already_started(service))
        return {};
    return failed_to("start", service.name,
                     "a unit of this name exists already; see systemctl stop " + service.name);
}

bool DbusUnitManager::already_started(const TransientService& service) {
    const auto found = loaded_state(service.name);
    return found && *found && service.remain_after_exit && (*found)->active_state == "active" &&
           (*found)->slice == (service.slice.empty() ? "system.slice" : service.slice);
}

Result<void> DbusUnitManager::enable(std::string_view unit) {
    const auto arguments = [name = std::string(unit)](sd_bus_message* call) {
        const int runtime = 0;
        const int force = 0;
        return sd_bus_message_append(call, "asbb", 1, name.c_str(), runtime, force);
    };
    const BusReply reply = bus_.call({"EnableUnitFiles"}, arguments, query_deadline());
    if (!reply)
        return failed_to("enable", unit, fault_text(reply.fault));
    int carries_install_info = 0;
    if (sd_bus_message_read(reply.message.get(), "b", &carries_install_info) < 0)
        return failed_to("enable", unit, "cannot read systemd's answer");
    if (carries_install_info == 0)
        return failed_to("enable", unit, "its unit file has no [Install] section");
    return {};
}

Result<void> DbusUnitManager::disable(std::string_view unit) {
    const auto arguments = [name = std::string(unit)](sd_bus_message* call) {
        const int runtime = 0;
        return sd_bus_message_append(call, "asb", 1, name.c_str(), runtime);
    };
    const BusReply reply = bus_.call({"DisableUnitFiles"}, arguments, query_deadline());
    if (!reply && !no_unit_file(reply.fault))
        return failed_to("disable", unit, fault_text(reply.fault));
    return {};
}

Result<bool> DbusUnitManager::enabled(std::string_view unit) {
    // Asked of the disk: the unit's own property may be older than the links.
    const BusReply reply = bus_.call({"GetUnitFileState"}, one_string(unit), query_deadline());
    if (!reply && no_unit_file(reply.fault))
        return false;
    const char* state = nullptr;
    if (!reply || sd_bus_message_read(reply.message.get(), "s", &state) < 0)
        return failed_to("ask whether it is enabled:", unit, fault_text(reply.fault));
    return std::string_view(state) == "enabled";
}

Result<void> DbusUnitManager::daemon_reload(Timeout timeout) {
    // The reply comes once the reload is done.
    const BusReply reply = bus_.call({"Reload"}, no_arguments, Bus::Clock::now() + timeout);
    if (!reply)
        return failed_to("reload", "systemd", fault_text(reply.fault));
    return {};
}

Result<void> DbusUnitManager::reset_failed(std::string_view unit) {
    const BusReply reply = bus_.call({"ResetFailedUnit"}, one_string(unit), query_deadline());
    if (!reply && !reply.fault.is(no_such_unit))
        return failed_to("reset the failed state of", unit, fault_text(reply.fault));
    return {};
}

Result<std::optional<UnitState>> DbusUnitManager::loaded_state(std::string_view unit) {
    const BusReply reply = bus_.call({"GetUnit"}, one_string(unit), query_deadline());
    if (!reply && reply.fault.is(no_such_unit))
        return std::optional<UnitState>();
    if (!reply)
        return failed_to("get the state of", unit, fault_text(reply.fault));
    return std::optional<UnitState>(TRY(state(unit)));
}

Result<UnitState> DbusUnitManager::state(std::string_view unit) {
    auto found = query_state(bus_, unit);
    if (!found)
        return failed_to("get the state of", unit, found.error().message);
    return found;
}

Result<std::string> DbusUnitManager::property(std::string_view unit, std::string_view name) {
    const std::string object = unit_object(unit);
    BusReply reply = query_property(bus_, object, unit_interface, name);
    if (!reply && reply.fault.is(SD_BUS_ERROR_UNKNOWN_PROPERTY))
        reply = query_property(bus_, object, unit_type_interface(unit), name);
    auto text = property_text(reply);
    if (!text)
        return failed_to("get " + std::string(name) + " of", unit, text.error().message);
    return text;
}

Result<void> DbusUnitManager::set_limits(std::string_view unit, bool runtime,
                                         const std::vector<UnitLimit>& limits) {
    const auto arguments = [&](sd_bus_message* call) {
        return append_limits(call, std::string(unit), runtime, limits);
    };
    const BusReply reply = bus_.call({"SetUnitProperties"}, arguments, query_deadline());
    if (!reply)
        return failed_to("set the limits of", unit, fault_text(reply.fault));
    return {};
}

Result<std::string> DbusUnitManager::version() {
    auto text = property_text(query_property(bus_, manager_object, manager_interface, "Version"));
    if (!text)
        return failed_to("get the version of", "systemd", text.error().message);
    return text;
}

Result<std::vector<std::string>> DbusUnitManager::features() {
    const auto text =
        property_text(query_property(bus_, manager_object, manager_interface, "Features"));
    if (!text)
        return failed_to("get the features of", "systemd", text.error().message);
    return split(*text, ' ');
}

} // namespace tenantctl
