// A box below a directory, the steps of the example tenant, and what a test leaves out of them.
#pragma once

#include "apply/apply.hpp"
#include "apply/observe.hpp"
#include "apply/resolve.hpp"
#include "base/files.hpp"
#include "example_tenant.hpp"
#include "fake_unit_manager.hpp"
#include "store/store.hpp"
#include "store/toml_files.hpp"
#include "systemd/unit_files.hpp"
#include "temporary_directory.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tenantctl {

inline FileOwner mine(mode_t mode) {
    return {geteuid(), getegid(), mode};
}

// A box below a directory: files are real, systemd is the fake.
struct TestBox {
    TemporaryDirectory directory;
    fake::FakeUnitManager units;
    Box box{Paths(directory.path()), units, geteuid()};

    TestBox() {
        // What every Debian has.
        for (const auto* path : {"/etc/systemd/system", "/etc/nginx", "/srv", "/var/log", "/run"})
            std::filesystem::create_directories(on_disk(path));
        auto& nginx = units.units["nginx.service"];
        nginx.load_state = "loaded";
        nginx.active_state = "active";
    }

    std::string on_disk(const std::string& path) const { return box.paths.on_disk(path); }

    void put(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(on_disk(path)).parent_path());
        std::ofstream(on_disk(path)) << text;
    }

    // Every file and directory with its mode and content, every unit that is enabled or active.
    std::vector<std::string> shows() const {
        std::vector<std::string> lines;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path())) {
            struct stat info {};
            REQUIRE(lstat(entry.path().c_str(), &info) == 0);
            const auto content =
                S_ISREG(info.st_mode) ? read_file(entry.path().string()).value() : "";
            lines.push_back(fmt::format("{} {:o} {}:{} {}",
                                        entry.path().string().substr(directory.path().size()),
                                        info.st_mode, info.st_uid, info.st_gid, content));
        }
        for (const auto& unit : units.enabled_units)
            lines.push_back("enabled " + unit);
        for (const auto& [name, state] : units.units)
            if (state.active_state == "active")
                lines.push_back("active " + name);
        std::sort(lines.begin(), lines.end());
        return lines;
    }

    std::size_t left_of(const Steps& steps) const {
        return prune(steps, observe(box, steps).value()).size();
    }
};

template <class Kind>
bool is(const Step& step) {
    return std::holds_alternative<Kind>(step);
}

// Without root there are no users to make and no other owner to give to; nginx, PHP and the kernel
// are asked in the guest.
inline Steps without_root(const Steps& steps) {
    Steps possible;
    for (auto step : steps) {
        if (is<CreateUser>(step) || is<RemoveUser>(step) || is<RecordUid>(step) ||
            is<CheckPool>(step) || is<CheckWebServer>(step) || is<VerifySlice>(step) ||
            is<VerifySite>(step) || is<VerifyHttp>(step))
            continue;
        if (auto* file = std::get_if<WriteFile>(&step))
            file->owner = mine(file->owner.mode);
        if (auto* made = std::get_if<MakeDirectory>(&step))
            made->owner = mine(made->owner.mode);
        possible.push_back(std::move(step));
    }
    return possible;
}

inline void append(Steps& steps, const Steps& more) {
    steps.insert(steps.end(), more.begin(), more.end());
}

inline Steps addition(const ResolvedTenant& tenant = example_tenant()) {
    BoxFacts facts;
    facts.templates.pool = read_file(source_file("templates/php-fpm/pool.conf")).value();
    facts.templates.vhost = read_file(source_file("templates/nginx/site.conf")).value();
    Steps steps = box_steps(facts);
    append(steps, {WriteFile{tenant_file(tenant.spec.name), format_tenant_file(tenant.spec), {}}});
    append(steps, tenant_steps(tenant));
    append(steps, site_steps(tenant, example_site(), BoxSpec{}, facts, false).value());
    return without_root(steps);
}

inline Steps removal(bool purge) {
    const auto tenant = example_tenant();
    Steps steps = {RemoveFile{tenant_file(tenant.spec.name)}};
    append(steps, tenant_removal_steps(tenant.spec, tenant.uid, purge));
    return without_root(steps);
}

// All that `tenantctl apply` would clear away when no tenant had a spec.
inline Steps clearing(const TestBox& test) {
    Steps steps = steps_for_leftovers(test.box.paths).value();
    const auto orphans = find_orphans(test.box.paths, Desired{}).value();
    for (const auto& orphan : orphans)
        append(steps, orphan.steps.value());
    return steps;
}

inline constexpr const char* impossible = "impossible.service";

// The first `count` steps, then one that fails.
inline Steps failing_after(const Steps& steps, std::size_t count) {
    Steps cut(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count));
    cut.emplace_back(StartUnit{impossible});
    return cut;
}

inline Steps first(const Steps& steps, std::size_t count) {
    return {steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count)};
}

} // namespace tenantctl
