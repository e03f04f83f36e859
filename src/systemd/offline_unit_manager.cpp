#include "systemd/offline_unit_manager.hpp"

#include "base/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace tenantctl {

namespace {

Error offline(std::string_view doing, std::string_view what) {
    return Error{Errc::failure,
                 fmt::format("Failed to {} {}: nothing runs below --root=", doing, what)};
}

} // namespace

std::string OfflineUnitManager::link_of(std::string_view unit) const {
    return fmt::format("{}/etc/systemd/system/sockets.target.wants/{}", root_, unit);
}

Result<void> OfflineUnitManager::enable(std::string_view unit) {
    const auto link = link_of(unit);
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(link).parent_path(), error);
    if (symlink("/usr/lib/systemd/system/php-fpm@.socket", link.c_str()) < 0 && errno != EEXIST)
        return Error{Errc::failure,
                     fmt::format("Failed to enable {}: {}", unit, errno_text(errno))};
    return {};
}

Result<void> OfflineUnitManager::disable(std::string_view unit) {
    return remove_file(link_of(unit));
}

Result<bool> OfflineUnitManager::enabled(std::string_view unit) {
    return path_exists(link_of(unit));
}

Result<std::optional<UnitState>> OfflineUnitManager::loaded_state(std::string_view) {
    return std::optional<UnitState>();
}

Result<void> OfflineUnitManager::reset_failed(std::string_view) {
    return {};
}

Result<void> OfflineUnitManager::stop(std::string_view, Timeout) {
    return {};
}

Result<void> OfflineUnitManager::start(std::string_view unit, Timeout) {
    return offline("start", unit);
}

Result<void> OfflineUnitManager::restart(std::string_view unit, Timeout) {
    return offline("restart", unit);
}

Result<void> OfflineUnitManager::reload_or_restart(std::string_view unit, Timeout) {
    return offline("reload", unit);
}

Result<void> OfflineUnitManager::start_transient(const TransientService& service, Timeout) {
    return offline("start", service.name);
}

Result<void> OfflineUnitManager::daemon_reload(Timeout) {
    return offline("reload", "systemd");
}

Result<UnitState> OfflineUnitManager::state(std::string_view unit) {
    return offline("look at", unit);
}

Result<std::string> OfflineUnitManager::property(std::string_view unit, std::string_view) {
    return offline("look at", unit);
}

Result<void> OfflineUnitManager::set_limits(std::string_view unit, bool,
                                            const std::vector<UnitLimit>&) {
    return offline("set limits of", unit);
}

Result<std::string> OfflineUnitManager::version() {
    return offline("ask", "systemd");
}

Result<std::vector<std::string>> OfflineUnitManager::features() {
    return offline("ask", "systemd");
}

} // namespace tenantctl
