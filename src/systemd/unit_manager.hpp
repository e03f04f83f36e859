// What is asked of systemd: one of the two virtual interfaces of the project (the guard is the
// other), with a fake behind it in unit tests. No type of sd-bus is named here.
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenantctl {

// A unit as systemd sees it now, in systemd's own words. What a type of unit does not have (a
// slice has no result) stays empty.
struct UnitState {
    std::string load_state;   // loaded, not-found, bad-setting, error, masked
    std::string active_state; // active, activating, deactivating, inactive, failed, reloading
    std::string sub_state;    // running, listening, dead, start-pre, ...
    std::string result;       // success, exit-code, signal, oom-kill, timeout, ...
    std::string fragment_path;
    std::string control_group; // below /sys/fs/cgroup; empty while there is no cgroup
    std::string slice;
    bool need_daemon_reload = false;
    std::uint32_t main_pid = 0;
    std::int32_t exit_status = 0;     // of the main process, or its signal
    std::uint32_t restarts = 0;       // made by Restart= since the last start by hand
    std::uint64_t active_since = 0;   // microseconds of CLOCK_REALTIME, 0 when never
    std::uint64_t inactive_since = 0; // the same
    std::vector<std::string> drop_in_paths;
    bool operator==(const UnitState&) const = default;
};

// A limit by its D-Bus name and in its D-Bus unit: {"MemoryHigh", bytes}, {"CPUQuotaPerSecUSec",
// percent * 10000}. `unlimited` of tenant/limits.hpp is systemd's infinity.
struct UnitLimit {
    std::string property;
    std::uint64_t value = 0;
    bool operator==(const UnitLimit&) const = default;
};

// A service that exists only in systemd's memory.
struct TransientService {
    std::string name; // "tenantctl-wake-alpha.service"
    std::string description;
    std::string slice;              // empty: system.slice
    std::vector<std::string> argv;  // argv[0] is an absolute path
    std::string user;               // empty: root
    bool remain_after_exit = false; // a oneshot that stays active, and with it its slice
    bool operator==(const TransientService&) const = default;
};

// Every function waits until the thing is done, and an error is a whole sentence: "Failed to start
// php-fpm@blog.example.service: job timed out". All of them are idempotent: starting what runs and
// stopping what is not loaded succeed.
class UnitManager {
public:
    using Timeout = std::chrono::milliseconds;
    static constexpr Timeout job_timeout = std::chrono::seconds(90);
    // A site's TimeoutStopSec=, after which systemd itself kills, and a little more.
    static constexpr Timeout stop_timeout = std::chrono::seconds(30);
    // PID 1 reads every loaded unit again: tens of seconds with a thousand tenants.
    static constexpr Timeout reload_timeout = std::chrono::minutes(5);

    UnitManager() = default;
    UnitManager(const UnitManager&) = delete;
    UnitManager& operator=(const UnitManager&) = delete;
    virtual ~UnitManager() = default;

    // Queues the job and waits for its end. After a timeout the job goes on; stop() ends it, and
    // kills what does not stop within the time.
    virtual Result<void> start(std::string_view unit, Timeout timeout = job_timeout) = 0;
    virtual Result<void> stop(std::string_view unit, Timeout timeout = stop_timeout) = 0;
    virtual Result<void> restart(std::string_view unit, Timeout timeout = job_timeout) = 0;
    // Reloads a unit that can and restarts one that cannot; starts one that does not run.
    virtual Result<void> reload_or_restart(std::string_view unit,
                                           Timeout timeout = job_timeout) = 0;
    // Starts a service that no file describes; it is forgotten once it has ended, also by failure.
    virtual Result<void> start_transient(const TransientService& service,
                                         Timeout timeout = job_timeout) = 0;

    // Makes or removes the links of [Install] below /etc, without a reload.
    virtual Result<void> enable(std::string_view unit) = 0;
    virtual Result<void> disable(std::string_view unit) = 0;
    // True when such links are on disk; false for a unit file that is not there.
    virtual Result<bool> enabled(std::string_view unit) = 0;

    virtual Result<void> daemon_reload(Timeout timeout = reload_timeout) = 0;
    // Takes a unit out of `failed`; one that is not loaded is in no such state.
    virtual Result<void> reset_failed(std::string_view unit) = 0;

    // The unit's state if systemd has it in memory. Never loads it.
    virtual Result<std::optional<UnitState>> loaded_state(std::string_view unit) = 0;
    // The unit's state, read from disk if need be; load_state says whether there is such a unit.
    virtual Result<UnitState> state(std::string_view unit) = 0;
    // One property as text: strings as they are, numbers in decimal, booleans "yes" or "no", lists
    // of strings joined by spaces. Loads the unit.
    virtual Result<std::string> property(std::string_view unit, std::string_view name) = 0;

    // Changes limits of a unit, loaded or not; kept below /etc/systemd/system.control unless
    // `runtime`, in which case until the next boot. PID 1 blocks while the kernel reclaims.
    virtual Result<void> set_limits(std::string_view unit, bool runtime,
                                    const std::vector<UnitLimit>& limits) = 0;

    // systemd's version and what it was built with: "252.39-1~deb12u1", {"+PAM", "-BPF_FRAMEWORK"}.
    virtual Result<std::string> version() = 0;
    virtual Result<std::vector<std::string>> features() = 0;
};

} // namespace tenantctl
