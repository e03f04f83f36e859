// The box below --root=: nothing runs there, but units can be enabled by their links.
#pragma once

#include "systemd/unit_manager.hpp"

#include <string>

namespace tenantctl {

class OfflineUnitManager final : public UnitManager {
public:
    explicit OfflineUnitManager(std::string root) : root_(std::move(root)) {}

    Result<void> start(std::string_view unit, Timeout timeout) override;
    Result<void> stop(std::string_view unit, Timeout timeout) override;
    Result<void> restart(std::string_view unit, Timeout timeout) override;
    Result<void> reload_or_restart(std::string_view unit, Timeout timeout) override;
    Result<void> start_transient(const TransientService& service, Timeout timeout) override;
    // Only sockets are ever enabled: WantedBy=sockets.target.
    Result<void> enable(std::string_view unit) override;
    Result<void> disable(std::string_view unit) override;
    Result<bool> enabled(std::string_view unit) override;
    Result<void> daemon_reload(Timeout timeout) override;
    Result<void> reset_failed(std::string_view unit) override;
    // Nothing is loaded.
    Result<std::optional<UnitState>> loaded_state(std::string_view unit) override;
    Result<UnitState> state(std::string_view unit) override;
    Result<std::string> property(std::string_view unit, std::string_view name) override;
    Result<void> set_limits(std::string_view unit, bool runtime,
                            const std::vector<UnitLimit>& limits) override;
    Result<std::string> version() override;
    Result<std::vector<std::string>> features() override;

private:
    std::string link_of(std::string_view unit) const;

    std::string root_;
};

} // namespace tenantctl
