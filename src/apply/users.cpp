// Unix users of tenants, by the distribution's own tools.
#include "apply/box.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <charconv>
#include <vector>

namespace tenantctl {

namespace {

// The fields of the first line of a passwd(5) or group(5) file whose field `index` is `value`.
Result<std::optional<std::vector<std::string>>>
find_entry(const std::string& file, std::size_t index, const std::string& value) {
    const auto text = TRY(read_file_if_exists(file));
    for (const auto& line : split(text.value_or(""), '\n')) {
        auto fields = split(line, ':');
        if (fields.size() > index && fields[index] == value)
            return std::optional(std::move(fields));
    }
    return std::optional<std::vector<std::string>>();
}

std::uint32_t number(const std::string& text) {
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// getpwnam(3) and getgrnam(3) list these as ways to say "not found".
bool is_not_found(int error) {
    return error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
}

Result<void> run_tool(const Paths& paths, std::vector<std::string> argv, const std::string& doing) {
    if (!paths.live()) {
        argv.insert(argv.begin() + 1, {"--prefix", paths.root()});
    }
    const auto result = TRY(run_process(argv));
    if (result.status != 0)
        return Error{Errc::failure, fmt::format("Failed to {}: {} exited with {}: {}", doing,
                                                argv[0], result.status, escaped(result.output))};
    return {};
}

} // namespace

Result<std::optional<UserIds>> find_user(const Paths& paths, const std::string& name) {
    if (!paths.live()) {
        const auto entry = TRY(find_entry(paths.on_disk("/etc/passwd"), 0, name));
        if (!entry || entry->size() < 4)
            return std::optional<UserIds>();
        return std::optional(UserIds{number((*entry)[2]), number((*entry)[3])});
    }
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> buffer(16384);
    const int error = getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr)
        return std::optional(UserIds{entry.pw_uid, entry.pw_gid});
    if (is_not_found(error))
        return std::optional<UserIds>();
    return Error{Errc::failure,
                 fmt::format("Failed to look up user {}: {}", name, errno_text(error))};
}

Result<std::optional<std::uint32_t>> find_group(const Paths& paths, const std::string& name) {
    if (!paths.live()) {
        const auto entry = TRY(find_entry(paths.on_disk("/etc/group"), 0, name));
        if (!entry || entry->size() < 3)
            return std::optional<std::uint32_t>();
        return std::optional(number((*entry)[2]));
    }
    group entry{};
    group* found = nullptr;
    std::vector<char> buffer(65536);
    const int error = getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr)
        return std::optional<std::uint32_t>(entry.gr_gid);
    if (is_not_found(error))
        return std::optional<std::uint32_t>();
    return Error{Errc::failure,
                 fmt::format("Failed to look up group {}: {}", name, errno_text(error))};
}

std::string holder_of_id(const Paths& paths, std::uint32_t id) {
    if (!paths.live()) {
        for (const auto* file : {"/etc/passwd", "/etc/group"})
            if (const auto entry = find_entry(paths.on_disk(file), 2, std::to_string(id));
                entry && *entry)
                return (**entry)[0];
        return {};
    }
    std::vector<char> buffer(65536);
    passwd user{};
    passwd* found_user = nullptr;
    if (getpwuid_r(id, &user, buffer.data(), buffer.size(), &found_user); found_user != nullptr)
        return user.pw_name;
    group group_entry{};
    group* found_group = nullptr;
    if (getgrgid_r(id, &group_entry, buffer.data(), buffer.size(), &found_group);
        found_group != nullptr)
        return group_entry.gr_name;
    return {};
}

Result<void> create_user(const Paths& paths, const std::string& name, std::uint32_t uid,
                         const std::string& home) {
    if (const auto known = TRY(find_user(paths, name))) {
        if (known->uid == uid && known->gid == uid)
            return {};
        return Error{Errc::failure,
                     fmt::format("User {} exists with uid {} and gid {}, not {}: it is not the "
                                 "tenant's",
                                 name, known->uid, known->gid, uid)};
    }
    const auto id = std::to_string(uid);
    // The group is there already when a run before this one was killed between the two.
    const auto group = TRY(find_group(paths, name));
    if (group && *group != uid)
        return Error{Errc::failure,
                     fmt::format("Group {} exists with gid {}, not {}: it is not the "
                                 "tenant's",
                                 name, *group, uid)};
    if (!group)
        TRY(run_tool(paths, {"/usr/sbin/groupadd", "--gid", id, name}, "create group " + name));
    auto made = run_tool(paths,
                         {"/usr/sbin/useradd", "--uid", id, "--gid", id, "--home-dir", home,
                          "--no-create-home", "--shell", "/usr/sbin/nologin", "--no-log-init",
                          "--key", "SUB_UID_COUNT=0", "--key", "SUB_GID_COUNT=0", "--comment",
                          "tenant of tenantctl", name},
                         "create user " + name);
    if (!made && !group)
        static_cast<void>(run_tool(paths, {"/usr/sbin/groupdel", name}, "remove group " + name));
    return made;
}

Result<void> remove_user(const Paths& paths, const std::string& name, std::uint32_t uid) {
    if (const auto user = TRY(find_user(paths, name)); user && user->uid == uid)
        TRY(run_tool(paths, {"/usr/sbin/userdel", name}, "remove user " + name));
    if (const auto group = TRY(find_group(paths, name)); group && *group == uid)
        TRY(run_tool(paths, {"/usr/sbin/groupdel", name}, "remove group " + name));
    return {};
}

} // namespace tenantctl
