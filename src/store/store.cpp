#include "store/store.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "store/toml_files.hpp"
#include "tenant/names.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace tenantctl {

namespace {

constexpr std::string_view toml_suffix = ".toml";

template <class Spec, class Parse>
Result<Spec> load_one(const Paths& paths, const std::string& file, const std::string& name,
                      Parse parse) {
    const auto path = paths.on_disk(file);
    Spec spec = TRY(parse(TRY(read_file(path)), path));
    if (spec.name != name)
        return Error{Errc::invalid,
                     fmt::format("{}: name is \"{}\"; it must be the file's", path, spec.name)};
    return spec;
}

// Parses every NAME.toml of a directory; the name inside must be the file's.
template <class Spec, class Parse>
Result<void> load_all(const Paths& paths, std::string_view directory, Parse parse,
                      std::vector<Spec>& specs, std::vector<BrokenSpec>& broken) {
    for (const auto& file : TRY(list_directory(paths.on_disk(directory)))) {
        if (file.front() == '.' || !file.ends_with(toml_suffix))
            continue;
        const auto name = file.substr(0, file.size() - toml_suffix.size());
        auto spec = load_one<Spec>(paths, fmt::format("{}/{}", directory, file), name, parse);
        if (spec)
            specs.push_back(std::move(spec).value());
        else
            broken.push_back({name, spec.error()});
    }
    return {};
}

} // namespace

std::string tenant_file(std::string_view name) {
    return fmt::format("{}/{}{}", box_path::tenants, name, toml_suffix);
}

Result<Desired> load_desired(const Paths& paths) {
    Desired desired;
    const auto config = paths.on_disk(box_path::config);
    if (const auto text = TRY(read_file_if_exists(config)))
        desired.box = TRY(parse_box_file(*text, config));
    TRY(load_all(paths, box_path::plans, parse_plan_file, desired.plans, desired.broken_plans));
    if (desired.find_plan("default") == nullptr)
        desired.plans.push_back(builtin_plan());
    desired.has_tenants_directory = path_exists(paths.on_disk(box_path::tenants));
    TRY(load_all(paths, box_path::tenants, parse_tenant_file, desired.tenants,
                 desired.broken_tenants));
    return desired;
}

Result<Desired> load_whole_desired(const Paths& paths) {
    auto desired = TRY(load_desired(paths));
    for (const auto* broken : {&desired.broken_plans, &desired.broken_tenants})
        if (!broken->empty())
            return broken->front().error;
    return desired;
}

Result<std::vector<std::string>> installed_php_versions(const Paths& paths) {
    constexpr std::string_view prefix = "php-fpm";
    std::vector<std::string> versions;
    for (const auto& name : TRY(list_directory(paths.on_disk("/usr/sbin"))))
        if (name.starts_with(prefix))
            if (const auto version = parse_php_version(name.substr(prefix.size())))
                versions.push_back(*version);
    const auto key = [](const std::string& version) {
        const auto dot = version.find('.');
        return std::pair(std::stoi(version.substr(0, dot)), std::stoi(version.substr(dot + 1)));
    };
    std::sort(versions.begin(), versions.end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
    return versions;
}

Result<UidLedger> UidLedger::load(const Paths& paths) {
    UidLedger ledger;
    const auto path = paths.on_disk(box_path::uid_ledger);
    const auto text = TRY(read_file_if_exists(path));
    for (const auto& line : split(text.value_or(""), '\n')) {
        if (line.empty())
            continue;
        const auto space = line.find(' ');
        std::uint32_t uid = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), uid);
        if (error != std::errc() || space == std::string::npos || end != line.data() + space)
            return Error{Errc::invalid,
                         fmt::format("{}: \"{}\" is not \"UID NAME\"; mend it by hand, since a uid "
                                     "given twice would open one tenant's files to another",
                                     path, escaped(line, 80))};
        ledger.uids_[line.substr(space + 1)] = uid;
    }
    return ledger;
}

std::optional<std::uint32_t> UidLedger::find(std::string_view name) const {
    const auto found = uids_.find(std::string(name));
    return found == uids_.end() ? std::nullopt : std::optional(found->second);
}

bool UidLedger::has(std::uint32_t uid) const {
    return std::any_of(uids_.begin(), uids_.end(),
                       [&](const auto& entry) { return entry.second == uid; });
}

Result<void> UidLedger::record(const Paths& paths, const std::string& name, std::uint32_t uid) {
    if (const auto known = find(name))
        return *known == uid
                   ? Result<void>()
                   : Error{Errc::failure,
                           fmt::format("uid {} is recorded as {}'s, not {}", *known, name, uid)};
    if (has(uid))
        return Error{Errc::failure, fmt::format("uid {} was given to another tenant before", uid)};
    uids_[name] = uid;
    std::string text;
    for (const auto& [entry_name, entry_uid] : uids_)
        text += fmt::format("{} {}\n", entry_uid, entry_name);
    return write_file(paths.on_disk(box_path::uid_ledger), text, FileOwner{0, 0, 0600});
}

Result<StoreLock> StoreLock::take(const Paths& paths, const std::string& what) {
    const auto path = paths.on_disk(box_path::lock);
    std::error_code ignored; // the open below says what is wrong
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd)
        return Error{Errc::failure,
                     fmt::format("Failed to open the lock {}: {}", path, errno_text(errno))};
    if (flock(fd.get(), LOCK_EX | LOCK_NB) < 0) {
        const auto holder = read_file_if_exists(path);
        return Error{Errc::failure,
                     fmt::format("Another tenantctl is at work ({}); try again when it has ended",
                                 holder && *holder ? escaped(**holder, 80) : "unknown")};
    }
    const auto text = fmt::format("PID {}, {}", getpid(), what);
    if (ftruncate(fd.get(), 0) < 0 || pwrite(fd.get(), text.data(), text.size(), 0) < 0)
        return Error{Errc::failure,
                     fmt::format("Failed to write the lock {}: {}", path, errno_text(errno))};
    return StoreLock(std::move(fd));
}

} // namespace tenantctl
