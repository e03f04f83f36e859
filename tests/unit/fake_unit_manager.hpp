// A systemd in memory: units with states, a record of the calls, failures to order.
#pragma once

#include "systemd/unit_manager.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tenantctl::fake {

class FakeUnitManager final : public UnitManager {
public:
    // What systemd has in memory. A unit is loaded by being started or put here.
    std::map<std::string, UnitState, std::less<>> units;
    // What can be loaded from disk besides. Empty: every unit can.
    std::set<std::string, std::less<>> on_disk;
    std::set<std::string, std::less<>> enabled_units;
    std::map<std::pair<std::string, std::string>, std::string> properties; // (unit, name) -> text
    std::map<std::string, std::vector<UnitLimit>, std::less<>> limits;
    // Every call that changes something, in order: "start UNIT", "daemon-reload", "set UNIT A=1".
    std::vector<std::string> calls;
    std::string systemd_version = "252";
    std::vector<std::string> systemd_features;

    // The Nth changing call from now on (1 is the next) fails with this cause.
    void fail_call(std::size_t nth, std::string cause) {
        failing_call_ = calls.size() + nth;
        failing_call_cause_ = std::move(cause);
    }
    // Every call of this kind for this unit fails with this cause: fail("start a.service", ...).
    void fail(const std::string& call, std::string cause) {
        failing_calls_[call] = std::move(cause);
    }

    Result<void> start(std::string_view unit, Timeout /*timeout*/) override {
        TRY(record("start", unit));
        TRY(activate("start", unit));
        return {};
    }
    Result<void> stop(std::string_view unit, Timeout /*timeout*/) override {
        TRY(record("stop", unit));
        if (const auto found = units.find(unit); found != units.end())
            deactivate(found->second);
        return {};
    }
    Result<void> restart(std::string_view unit, Timeout /*timeout*/) override {
        TRY(record("restart", unit));
        TRY(activate("restart", unit));
        return {};
    }
    Result<void> reload_or_restart(std::string_view unit, Timeout /*timeout*/) override {
        TRY(record("reload", unit));
        TRY(activate("reload", unit));
        return {};
    }
    Result<void> start_transient(const TransientService& service, Timeout /*timeout*/) override {
        TRY(record("start", service.name));
        if (!service.remain_after_exit)
            return {};
        UnitState& state = units[service.name];
        state.load_state = "loaded";
        state.active_state = "active";
        state.sub_state = "exited";
        state.result = "success";
        state.slice = service.slice;
        return {};
    }

    Result<void> enable(std::string_view unit) override {
        TRY(record("enable", unit));
        if (!exists(unit))
            return failure("enable", unit, "there is no such unit");
        enabled_units.emplace(unit);
        return {};
    }
    Result<void> disable(std::string_view unit) override {
        TRY(record("disable", unit));
        if (const auto found = enabled_units.find(unit); found != enabled_units.end())
            enabled_units.erase(found);
        return {};
    }
    Result<bool> enabled(std::string_view unit) override { return enabled_units.contains(unit); }

    Result<void> daemon_reload(Timeout /*timeout*/) override {
        TRY(record("daemon-reload", {}));
        for (auto& [name, state] : units)
            state.need_daemon_reload = false;
        return {};
    }
    Result<void> reset_failed(std::string_view unit) override {
        TRY(record("reset-failed", unit));
        const auto found = units.find(unit);
        if (found != units.end() && found->second.active_state == "failed")
            deactivate(found->second);
        return {};
    }

    Result<std::optional<UnitState>> loaded_state(std::string_view unit) override {
        const auto found = units.find(unit);
        if (found == units.end())
            return std::optional<UnitState>();
        return std::optional<UnitState>(found->second);
    }
    Result<UnitState> state(std::string_view unit) override { return load(unit); }
    Result<std::string> property(std::string_view unit, std::string_view name) override {
        const auto found = properties.find({std::string(unit), std::string(name)});
        if (found == properties.end())
            return failure("get " + std::string(name) + " of", unit, "there is no such property");
        return found->second;
    }

    Result<void> set_limits(std::string_view unit, bool /*runtime*/,
                            const std::vector<UnitLimit>& changed) override {
        std::string call(unit);
        for (const UnitLimit& limit : changed)
            call += " " + limit.property + "=" + std::to_string(limit.value);
        TRY(record("set", call));
        limits[std::string(unit)] = changed;
        return {};
    }

    Result<std::string> version() override { return systemd_version; }
    Result<std::vector<std::string>> features() override { return systemd_features; }

private:
    static Error failure(const std::string& verb, std::string_view unit, const std::string& cause) {
        return {Errc::failure, "Failed to " + verb + " " + std::string(unit) + ": " + cause};
    }

    Result<void> record(const std::string& verb, std::string_view unit) {
        calls.push_back(unit.empty() ? verb : verb + " " + std::string(unit));
        if (calls.size() == failing_call_)
            return failure(verb, unit, failing_call_cause_);
        if (const auto ordered = failing_calls_.find(calls.back()); ordered != failing_calls_.end())
            return failure(verb, unit, ordered->second);
        return {};
    }

    bool exists(std::string_view unit) const {
        return on_disk.empty() || on_disk.contains(unit) || units.contains(unit);
    }

    UnitState& load(std::string_view unit) {
        const bool found = exists(unit);
        const auto [entry, loaded] = units.try_emplace(std::string(unit));
        if (loaded) {
            entry->second.load_state = found ? "loaded" : "not-found";
            deactivate(entry->second);
        }
        return entry->second;
    }

    Result<void> activate(const std::string& verb, std::string_view unit) {
        UnitState& state = load(unit);
        if (state.load_state != "loaded")
            return failure(verb, unit, "there is no such unit");
        state.active_state = "active";
        state.sub_state = unit.ends_with(".socket")    ? "listening"
                          : unit.ends_with(".service") ? "running"
                                                       : "active";
        state.result = unit.ends_with(".slice") ? "" : "success";
        return {};
    }

    static void deactivate(UnitState& state) {
        state.active_state = "inactive";
        state.sub_state = "dead";
        state.control_group.clear();
        state.main_pid = 0;
    }

    std::size_t failing_call_ = 0;
    std::string failing_call_cause_;
    std::map<std::string, std::string, std::less<>> failing_calls_;
};

} // namespace tenantctl::fake
