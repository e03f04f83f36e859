#include "systemd/bus.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

namespace tenantctl {

namespace {

constexpr const char* systemd_name = "org.freedesktop.systemd1";
constexpr const char* manager_object = "/org/freedesktop/systemd1";
constexpr const char* manager_interface = "org.freedesktop.systemd1.Manager";
constexpr const char* private_bus = "unix:path=/run/systemd/private";

// PID 1 needs a moment to listen again after it executed itself, and offers nothing to wait on.
constexpr auto connect_pause = std::chrono::milliseconds(50);

// Left of the time until the deadline, for sd-bus, where 0 means its default of 25 s.
std::uint64_t microseconds_until(Bus::Clock::time_point deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(deadline - Bus::Clock::now());
    return static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
}

BusFault fault_from_errno(int error_number) {
    BusFault fault{error_number, {}, errno_text(error_number)};
    if (error_number == ETIMEDOUT)
        fault.name = SD_BUS_ERROR_TIMEOUT;
    return fault;
}

BusFault take_fault(sd_bus_error& error, int negative_errno) {
    BusFault fault = fault_from_errno(-negative_errno);
    if (sd_bus_error_is_set(&error) != 0) {
        fault.name = error.name;
        fault.text = error.message != nullptr ? error.message : error.name;
    }
    sd_bus_error_free(&error);
    return fault;
}

// root talks to PID 1 itself, as systemctl does: that works while dbus-daemon is down, restarts or
// is flooded by a tenant, and PID 1 sends every job signal on it. Others have only the system bus.
int open_bus(sd_bus** bus) {
    if (geteuid() != 0)
        return sd_bus_open_system(bus);
    int r = sd_bus_new(bus);
    if (r >= 0)
        r = sd_bus_set_address(*bus, private_bus);
    if (r >= 0)
        r = sd_bus_start(*bus);
    return r;
}

// Why there is no connection, when the reason is not that PID 1 is busy starting anew.
std::string no_connection_text(int error_number) {
    if (sd_booted() > 0)
        return "cannot connect to systemd: " + errno_text(error_number);
    const auto init = read_file("/proc/1/comm");
    const std::string name = init ? init->substr(0, init->find('\n')) : "unknown";
    return "systemd is not running on this machine (PID 1 is " + escaped(name, 16) +
           "); run tenantctl on a host or guest that systemd booted";
}

} // namespace

bool BusFault::lost() const {
    constexpr std::array lost_errors{ECONNRESET, ENOTCONN, EPIPE, ECONNABORTED, ESHUTDOWN};
    return std::ranges::find(lost_errors, error_number) != lost_errors.end();
}

BusReply Bus::call(const BusMethod& method, const Arguments& arguments,
                   Clock::time_point deadline) {
    // An idle connection that PID 1 has dropped is noticed here and not by the call.
    if (bus_)
        dispatch(Clock::now());
    BusReply reply = call_once(method, arguments, deadline);
    if (!reply && reply.fault.lost()) {
        bus_.reset();
        reply = call_once(method, arguments, deadline);
    }
    return reply;
}

BusReply Bus::call_once(const BusMethod& method, const Arguments& arguments,
                        Clock::time_point deadline) {
    if (!bus_) {
        if (BusFault fault = connect(deadline); fault.error_number != 0)
            return {nullptr, std::move(fault)};
    }
    sd_bus_message* call = nullptr;
    int r = sd_bus_message_new_method_call(bus_.get(), &call, systemd_name, method.object.c_str(),
                                           method.interface, method.member);
    const MessagePtr call_owner(call);
    if (r >= 0)
        r = arguments(call);
    if (r < 0)
        return {nullptr, fault_from_errno(-r)};

    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message* reply = nullptr;
    r = sd_bus_call(bus_.get(), call, microseconds_until(deadline), &error, &reply);
    if (r < 0)
        return {nullptr, take_fault(error, r)};
    return {MessagePtr(reply), {}};
}

bool Bus::dispatch(Clock::time_point deadline) {
    if (!bus_)
        return false;
    bool dispatched = false;
    for (;;) {
        const int r = sd_bus_process(bus_.get(), nullptr);
        if (r < 0 || sd_bus_is_open(bus_.get()) <= 0) {
            bus_.reset();
            return false;
        }
        dispatched = dispatched || r > 0;
        if (r > 0)
            continue;
        if (dispatched || Clock::now() >= deadline)
            return true;
        sd_bus_wait(bus_.get(), microseconds_until(deadline));
    }
}

BusFault Bus::connect(Clock::time_point deadline) {
    for (;;) {
        BusFault fault = connect_once(deadline);
        if (fault.error_number == 0) {
            connected_before_ = true;
            return fault;
        }
        bus_.reset();
        // The first time, a refusal is the answer; later it is PID 1 that has yet to come back.
        if (!connected_before_ || Clock::now() >= deadline)
            return fault;
        std::this_thread::sleep_for(connect_pause);
    }
}

BusFault Bus::connect_once(Clock::time_point deadline) {
    sd_bus* bus = nullptr;
    int r = open_bus(&bus);
    bus_.reset(bus);
    if (r < 0)
        return {-r, {}, no_connection_text(-r)};
    // The match is there before any job is queued, so that no end of a job goes unseen.
    r = sd_bus_match_signal(bus, nullptr, systemd_name, manager_object, manager_interface,
                            "JobRemoved", job_removed, this);
    if (r < 0)
        return fault_from_errno(-r);
    if (geteuid() == 0)
        return {};
    // On the system bus PID 1 sends signals only while somebody has subscribed.
    const auto no_arguments = [](sd_bus_message*) { return 0; };
    return call_once({"Subscribe"}, no_arguments, deadline).fault;
}

int Bus::job_removed(sd_bus_message* message, void* bus, sd_bus_error* /*error*/) {
    std::uint32_t id = 0;
    const char* path = nullptr;
    const char* unit = nullptr;
    const char* result = nullptr;
    if (sd_bus_message_read(message, "uoss", &id, &path, &unit, &result) >= 0)
        static_cast<Bus*>(bus)->on_job_removed_(path, result);
    return 0;
}

std::string fault_text(const BusFault& fault) {
    struct Known {
        std::string_view name;
        const char* text;
    };
    static constexpr Known known[] = {
        {"org.freedesktop.systemd1.NoSuchUnit", "there is no such unit"},
        {"org.freedesktop.systemd1.BadUnitSetting",
         "its unit file is not valid; see systemd-analyze verify"},
        {SD_BUS_ERROR_UNKNOWN_PROPERTY, "this systemd knows no such property"},
        {"org.freedesktop.systemd1.UnitMasked", "the unit is masked; see systemctl unmask"},
        {SD_BUS_ERROR_ACCESS_DENIED, "permission denied; run it as root"},
        {SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED, "permission denied; run it as root"},
        {SD_BUS_ERROR_TIMEOUT, "systemd did not answer in time; it may be busy reloading, see "
                               "systemctl list-jobs"},
        {SD_BUS_ERROR_NO_REPLY, "systemd did not answer in time; it may be busy reloading, see "
                                "systemctl list-jobs"},
    };
    for (const Known& entry : known)
        if (fault.is(entry.name))
            return entry.text;
    std::string text = fault.text;
    while (!text.empty() && (text.back() == '.' || text.back() == '\n'))
        text.pop_back();
    return text;
}

} // namespace tenantctl
