// The unit manager that talks to systemd.
#pragma once

#include "systemd/bus.hpp"
#include "systemd/job_runner.hpp"
#include "systemd/unit_manager.hpp"

namespace tenantctl {

// Connects when it is first used. One thing at a time; not for several threads.
class DbusUnitManager final : public UnitManager {
public:
    DbusUnitManager();

    Result<void> start(std::string_view unit, Timeout timeout) override;
    Result<void> stop(std::string_view unit, Timeout timeout) override;
    Result<void> restart(std::string_view unit, Timeout timeout) override;
    Result<void> reload_or_restart(std::string_view unit, Timeout timeout) override;
    Result<void> start_transient(const TransientService& service, Timeout timeout) override;

    Result<void> enable(std::string_view unit) override;
    Result<void> disable(std::string_view unit) override;
    Result<bool> enabled(std::string_view unit) override;

    Result<void> daemon_reload(Timeout timeout) override;
    Result<void> reset_failed(std::string_view unit) override;

    Result<std::optional<UnitState>> loaded_state(std::string_view unit) override;
    Result<UnitState> state(std::string_view unit) override;
    Result<std::string> property(std::string_view unit, std::string_view name) override;

    Result<void> set_limits(std::string_view unit, bool runtime,
                            const std::vector<UnitLimit>& limits) override;

    Result<std::string> version() override;
    Result<std::vector<std::string>> features() override;

private:
    std::optional<JobFailure> run_unit_job(JobKind kind, std::string_view unit, const char* member,
                                           Timeout timeout);
    bool kill(std::string_view unit, Timeout timeout);
    bool already_started(const TransientService& service);

    Bus bus_;
    JobRunner jobs_;
};

} // namespace tenantctl
