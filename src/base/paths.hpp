// Where things live on a box. Every path goes through here, so that --root= and tests move all.
#pragma once

#include <string>
#include <string_view>

namespace tenantctl {

// The paths as the box itself names them, that is, as they stand in units and configuration.
namespace box_path {
inline constexpr std::string_view settings = "/etc/tenantctl";
inline constexpr std::string_view config = "/etc/tenantctl/tenantctl.toml";
inline constexpr std::string_view plans = "/etc/tenantctl/plans";
inline constexpr std::string_view tenants = "/etc/tenantctl/tenants";
inline constexpr std::string_view pools = "/etc/tenantctl/php-fpm";
inline constexpr std::string_view units = "/etc/systemd/system";
inline constexpr std::string_view unit_control = "/etc/systemd/system.control";
inline constexpr std::string_view vhosts = "/etc/nginx/tenantctl";
inline constexpr std::string_view homes = "/srv/tenants";
inline constexpr std::string_view web_logs = "/var/log/tenantctl";
inline constexpr std::string_view state = "/var/lib/tenantctl";
inline constexpr std::string_view uid_ledger = "/var/lib/tenantctl/uids";
inline constexpr std::string_view runtime = "/run/tenantctl";
inline constexpr std::string_view sockets = "/run/tenantctl/fpm";
inline constexpr std::string_view lock = "/run/tenantctl/lock";
inline constexpr std::string_view template_overrides = "/etc/tenantctl/templates";
inline constexpr std::string_view templates = "/usr/share/tenantctl/templates";
} // namespace box_path

// Turns a path of the box into one that this process opens.
class Paths {
public:
    explicit Paths(std::string root = {}) : root_(std::move(root)) {
        while (!root_.empty() && root_.back() == '/')
            root_.pop_back();
    }

    // True when the box is the running system and not a tree below --root=.
    bool live() const { return root_.empty(); }
    const std::string& root() const { return root_; }
    std::string on_disk(std::string_view box_path) const { return root_ + std::string(box_path); }

private:
    std::string root_;
};

} // namespace tenantctl
