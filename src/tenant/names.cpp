#include "tenant/names.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <idn2.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace tenantctl {

namespace {

constexpr std::size_t max_tenant_name = 31;
constexpr std::size_t max_label = 63;
// sun_path holds 108 bytes with the final NUL.
constexpr std::size_t max_domain = 107 - box_path::sockets.size() - sizeof("/.sock") + 1;

// User names of base-passwd and of the services that a hosting box is likely to have or to get.
constexpr std::array reserved_names = {
    "root",     "daemon",   "bin",     "sys",        "sync",     "games",      "man",
    "lp",       "mail",     "news",    "uucp",       "proxy",    "www",        "backup",
    "list",     "irc",      "gnats",   "nobody",     "nogroup",  "messagebus", "sshd",
    "systemd",  "tenant",   "admin",   "adm",        "sudo",     "wheel",      "staff",
    "users",    "shadow",   "utmp",    "tty",        "disk",     "kmem",       "dialout",
    "postgres", "mysql",    "mariadb", "redis",      "memcache", "memcached",  "nginx",
    "apache",   "httpd",    "postfix", "postdrop",   "exim",     "dovecot",    "dovenull",
    "vmail",    "opendkim", "rspamd",  "clamav",     "bind",     "named",      "unbound",
    "ntp",      "chrony",   "polkitd", "uuidd",      "tcpdump",  "ftp",        "proftpd",
    "vsftpd",   "haproxy",  "varnish", "prometheus", "grafana",  "docker",     "libvirt",
    "git",      "munin",    "nagios",  "zabbix",     "statd",    "rpc",        "rtkit",
    "avahi",    "cups",     "saned",   "colord",     "gdm",      "pulse",      "tss",
    "syslog",   "input",    "kvm",     "render",     "sgx",      "crontab",    "operator",
    "src",      "video",    "audio",   "voice",      "cdrom",    "floppy",     "tape",
    "fax",      "plugdev",  "netdev",  "lpadmin",    "scanner",  "ssl_cert",   "puppet",
};

Error invalid(std::string message) {
    return Error{Errc::invalid, std::move(message)};
}

bool lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

Result<void> check_label(const std::string& label, const std::string& domain) {
    if (label.empty())
        return invalid(fmt::format("\"{}\" is not a domain: it has an empty label", domain));
    if (label.size() > max_label)
        return invalid(fmt::format("\"{}\" is not a domain: a label has {} bytes, at most {} fit",
                                   domain, label.size(), max_label));
    const bool known = std::all_of(label.begin(), label.end(),
                                   [](char c) { return lower_or_digit(c) || c == '-'; });
    if (!known || label.front() == '-' || label.back() == '-')
        return invalid(fmt::format("\"{}\" is not a domain: \"{}\" may have only letters, digits "
                                   "and, inside, hyphens",
                                   domain, label));
    return {};
}

// To punycode and lower case; pure ASCII needs no library and gets the clearer message.
Result<std::string> to_ascii(std::string_view text) {
    std::string domain(text);
    const bool ascii = std::all_of(domain.begin(), domain.end(),
                                   [](char c) { return static_cast<signed char>(c) >= 0; });
    if (ascii) {
        std::transform(domain.begin(), domain.end(), domain.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        return domain;
    }
    char* converted = nullptr;
    const int status =
        idn2_to_ascii_8z(domain.c_str(), &converted, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    const std::unique_ptr<char, decltype(&std::free)> owner(converted, &std::free);
    if (status != IDN2_OK)
        return invalid(
            fmt::format("\"{}\" is not a domain: {}", escaped(text), idn2_strerror(status)));
    return std::string(converted);
}

} // namespace

Result<std::string> parse_tenant_name(std::string_view text) {
    const auto shown = escaped(text, 64);
    if (text.empty())
        return invalid("A tenant's name is empty");
    if (text.size() > max_tenant_name)
        return invalid(fmt::format("\"{}\" is not a tenant's name: {} bytes, at most {} fit", shown,
                                   text.size(), max_tenant_name));
    const bool known =
        std::all_of(text.begin(), text.end(), [](char c) { return lower_or_digit(c) || c == '_'; });
    if (!known || text.front() < 'a' || text.front() > 'z')
        return invalid(fmt::format("\"{}\" is not a tenant's name: it starts with a-z and goes on "
                                   "with a-z, 0-9 and _ (a \"-\" would nest its slice)",
                                   shown));
    if (std::find(reserved_names.begin(), reserved_names.end(), text) != reserved_names.end())
        return invalid(fmt::format("\"{}\" is reserved for the distribution's own user or group; "
                                   "take another tenant name",
                                   shown));
    return std::string(text);
}

Result<std::string> parse_domain(std::string_view text) {
    if (text.empty() || text.size() > 1024 || text.find('\0') != std::string_view::npos)
        return invalid(fmt::format("\"{}\" is not a domain", escaped(text, 64)));
    auto domain = TRY(to_ascii(text));
    if (!domain.empty() && domain.back() == '.')
        domain.pop_back();
    const auto shown = escaped(domain, 100);
    if (domain.size() > max_domain)
        return invalid(fmt::format("\"{}\" is too long: {} bytes, at most {} fit into the path of "
                                   "the site's socket",
                                   shown, domain.size(), max_domain));
    const auto labels = split(domain, '.');
    if (labels.size() < 2)
        return invalid(
            fmt::format("\"{}\" is not a domain: it needs a dot, as in blog.example", shown));
    for (const auto& label : labels)
        TRY(check_label(escaped(label, 80), shown));
    const auto& top = labels.back();
    if (std::all_of(top.begin(), top.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return invalid(fmt::format("\"{}\" is not a domain: it ends like an address", shown));
    return domain;
}

Result<std::string> tenant_name_for(std::string_view domain) {
    std::string name(domain);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !lower_or_digit(c); }, '_');
    if (name.front() < 'a' || name.front() > 'z')
        name.insert(0, "t_");
    name.resize(std::min(name.size(), max_tenant_name));
    return parse_tenant_name(name);
}

Result<std::string> parse_php_version(std::string_view text) {
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.size() <= 2 &&
               std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    const auto dot = text.find('.');
    if (dot == std::string_view::npos || !digits(text.substr(0, dot)) ||
        !digits(text.substr(dot + 1)))
        return invalid(
            fmt::format("\"{}\" is not a PHP version; write it as 8.2", escaped(text, 32)));
    return std::string(text);
}

Result<std::string> parse_document_root(std::string_view text) {
    const auto shown = escaped(text);
    if (text.empty() || text.front() != '/' || text.size() > 1024)
        return invalid(fmt::format("Document root \"{}\" is not an absolute path", shown));
    const auto allowed = [](char c) {
        return lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-' ||
               c == '/';
    };
    if (!std::all_of(text.begin(), text.end(), allowed))
        return invalid(
            fmt::format("Document root \"{}\" may have only letters, digits and ._-/", shown));
    while (text.size() > 1 && text.back() == '/')
        text.remove_suffix(1);
    for (const auto& part : split(text.substr(1), '/'))
        if (part.empty() || part == "." || part == "..")
            return invalid(fmt::format(
                "Document root \"{}\" has an empty, \".\" or \"..\" component; write it out",
                shown));
    return std::string(text);
}

std::string socket_unit(std::string_view domain) {
    return fmt::format("php-fpm@{}.socket", domain);
}

std::string service_unit(std::string_view domain) {
    return fmt::format("php-fpm@{}.service", domain);
}

std::string slice_unit(std::string_view tenant) {
    return fmt::format("tenant-{}.slice", tenant);
}

std::string slice_cgroup(std::string_view tenant) {
    return fmt::format("/tenant.slice/{}", slice_unit(tenant));
}

std::string tenant_home(std::string_view tenant) {
    return fmt::format("{}/{}", box_path::homes, tenant);
}

std::string site_directory(std::string_view tenant, std::string_view domain) {
    return fmt::format("{}/sites/{}", tenant_home(tenant), domain);
}

std::string socket_path(std::string_view domain) {
    return fmt::format("{}/{}.sock", box_path::sockets, domain);
}

} // namespace tenantctl
