#include "apply/compose.hpp"

#include "base/paths.hpp"
#include "systemd/unit_files.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace tenantctl {

namespace {

std::string vhost_file(std::string_view domain) {
    return fmt::format("{}/{}.conf", box_path::vhosts, domain);
}

std::string log_directory(std::string_view domain) {
    return fmt::format("{}/{}", box_path::web_logs, domain);
}

std::string drop_in_directory(std::string_view domain) {
    return std::filesystem::path(service_drop_in_file(domain)).parent_path().string();
}

// Root's, with the tenant and the web server let through: neither can put anything there.
MakeDirectory passage(std::string path, std::uint32_t uid) {
    return {std::move(path), {0, uid, 0750}, AclAccess::traverse};
}

// The tenant's, read by the web server.
MakeDirectory published(std::string path, std::uint32_t uid) {
    return {std::move(path), {uid, uid, 0750}, AclAccess::read_inherit};
}

MakeDirectory private_to(std::string path, std::uint32_t uid) {
    return {std::move(path), {uid, uid, 0700}, AclAccess::none, true};
}

// Nobody else's, but PHP moves an upload from here to where it is published, with its ACL.
MakeDirectory uploads_of(std::string path, std::uint32_t uid) {
    return {std::move(path), {uid, uid, 0700}, AclAccess::inherit_only, true};
}

void append(Steps& steps, Steps more) {
    steps.insert(steps.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

constexpr std::string_view condemned_prefix = ".removed.";

std::string condemned(const std::string& directory) {
    const std::filesystem::path path(directory);
    return fmt::format("{}/{}{}", path.parent_path().string(), condemned_prefix,
                       path.filename().string());
}

// Out of the way first, which can be undone; deleted when nothing else can fail any more.
Steps deletion(const std::vector<std::string>& directories) {
    Steps steps;
    for (const auto& directory : directories)
        steps.emplace_back(MoveTree{directory, condemned(directory)});
    for (const auto& directory : directories)
        steps.emplace_back(RemoveTree{condemned(directory)});
    return steps;
}

// The document root and what lies between it and "public".
void append_root(Steps& steps, const ResolvedTenant& tenant, const SiteSpec& site) {
    const std::filesystem::path top(site_directory(tenant.spec.name, site.domain) + "/public");
    std::filesystem::path below = top;
    steps.emplace_back(published(top.string(), tenant.uid));
    for (const auto& part : std::filesystem::path(site.root).lexically_relative(top)) {
        if (part == ".")
            continue;
        below /= part;
        steps.emplace_back(published(below.string(), tenant.uid));
    }
}

} // namespace

bool is_condemned(std::string_view name) {
    return name.starts_with(condemned_prefix);
}

Steps box_steps(const BoxFacts& facts) {
    return {
        MakeDirectory{std::string(box_path::settings), {0, 0, 0755}},
        MakeDirectory{std::string(box_path::tenants), {0, 0, 0755}},
        MakeDirectory{std::string(box_path::vhosts), {0, 0, 0755}},
        MakeDirectory{std::string(box_path::homes), {0, 0, 0711}},
        MakeDirectory{std::string(box_path::web_logs), {0, 0, 0711}},
        MakeDirectory{std::string(box_path::pools), {0, 0, 0711}},
        MakeDirectory{std::string(box_path::runtime), {0, 0, 0755}},
        MakeDirectory{std::string(box_path::sockets), {0, facts.web_gid, 0750}},
    };
}

Steps tenant_steps(const ResolvedTenant& tenant) {
    const auto& name = tenant.spec.name;
    const auto home = tenant_home(name);
    return {
        RecordUid{tenant.uid, name},
        CreateUser{name, tenant.uid, home},
        passage(home, tenant.uid),
        passage(home + "/sites", tenant.uid),
        WriteFile{slice_file(name), render_slice(tenant), {}},
        ReloadManagerIfStale{{slice_unit(name)}},
        VerifySlice{name, tenant.limits},
    };
}

Result<Steps> site_steps(const ResolvedTenant& tenant, const SiteSpec& site, const BoxSpec& box,
                         const BoxFacts& facts, bool check_http) {
    const auto directory = site_directory(tenant.spec.name, site.domain);
    const auto pool = TRY(render_pool(facts.templates.pool, box, tenant, site));
    const auto vhost = TRY(render_vhost(facts.templates.vhost, box, tenant, site));
    Steps steps;
    steps.emplace_back(passage(directory, tenant.uid));
    append_root(steps, tenant, site);
    append(
        steps,
        {
            uploads_of(directory + "/tmp", tenant.uid),
            private_to(directory + "/sessions", tenant.uid),
            // nginx's workers open their logs again by themselves.
            MakeDirectory{
                log_directory(site.domain), {0, facts.web_gid, 0710}, AclAccess::none, true},
            WriteFile{pool_file(site.domain),
                      pool,
                      // For its own tenant's master only.
                      {0, tenant.uid, 0640}},
            CheckPool{site.php, pool_file(site.domain), tenant.uid},
            MakeDirectory{drop_in_directory(site.domain), {0, 0, 0755}},
            WriteFile{service_drop_in_file(site.domain), render_service_drop_in(tenant, site), {}},
            WriteFile{vhost_file(site.domain), vhost, {}},
            CheckWebServer{},
            ReloadManagerIfStale{{socket_unit(site.domain), service_unit(site.domain)}},
            EnableUnit{socket_unit(site.domain)},
            StartUnit{socket_unit(site.domain), socket_path(site.domain)},
            VerifySite{tenant.spec.name, site.domain, tenant.uid},
            ReloadWebServer{},
        });
    if (check_http)
        steps.emplace_back(VerifyHttp{site.domain});
    return steps;
}

Steps site_removal_steps(const std::string& tenant, const SiteSpec& site, bool purge) {
    const auto socket = socket_unit(site.domain);
    const auto service = service_unit(site.domain);
    Steps steps = {
        // First no new requests, then an end to those that run.
        RemoveFile{vhost_file(site.domain)},
        CheckWebServer{},
        ReloadWebServer{},
        DisableUnit{socket},
        StopUnit{socket},
        StopUnit{service},
        RemoveFile{pool_file(site.domain)},
        RemoveFile{service_drop_in_file(site.domain)},
        RemoveEmptyDirectory{drop_in_directory(site.domain)},
        ForgetUnit{socket},
        ForgetUnit{service},
        ReloadManagerIfStale{{socket, service}},
    };
    if (purge)
        append(steps, deletion({site_directory(tenant, site.domain), log_directory(site.domain)}));
    return steps;
}

Steps tenant_removal_steps(const TenantSpec& tenant, std::optional<std::uint32_t> uid, bool purge) {
    const auto slice = slice_unit(tenant.name);
    const auto home = tenant_home(tenant.name);
    Steps steps;
    for (const auto& site : tenant.sites)
        append(steps, site_removal_steps(tenant.name, site, false));
    append(steps, {
                      // Whatever else runs in it goes too.
                      StopUnit{slice},
                      RemoveFile{slice_file(tenant.name)},
                      ForgetUnit{slice},
                      ReloadManagerIfStale{{slice}},
                  });
    if (uid)
        append(steps, {
                          RemoveUser{tenant.name, *uid, home},
                          RemoveFile{"/var/spool/cron/crontabs/" + tenant.name},
                          RemoveFile{"/var/lib/systemd/linger/" + tenant.name},
                      });
    if (purge) {
        std::vector<std::string> directories = {home};
        for (const auto& site : tenant.sites)
            directories.push_back(log_directory(site.domain));
        append(steps, deletion(directories));
    } else {
        append(steps, {RemoveEmptyDirectory{home + "/sites"}, RemoveEmptyDirectory{home}});
    }
    return steps;
}

} // namespace tenantctl
