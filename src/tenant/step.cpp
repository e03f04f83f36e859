#include "tenant/step.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tenantctl {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

template <class Map, class Value>
bool shows(const Map& map, const std::string& key, const Value& value) {
    const auto found = map.find(key);
    return found != map.end() && found->second == value;
}

// Steps whose only purpose is to check or to publish what the steps before them changed.
bool follows_changes(const Step& step) {
    return std::holds_alternative<CheckPool>(step) ||
           std::holds_alternative<CheckWebServer>(step) ||
           std::holds_alternative<ReloadWebServer>(step) ||
           std::holds_alternative<ReloadManagerIfStale>(step) ||
           std::holds_alternative<ForgetUnit>(step);
}

// What is to be deleted is not there yet when the list is made.
bool deletes_what_is_moved(const Step& step, const Steps& before) {
    const auto* removal = std::get_if<RemoveTree>(&step);
    return removal != nullptr && std::any_of(before.begin(), before.end(), [&](const Step& each) {
               const auto* move = std::get_if<MoveTree>(&each);
               return move != nullptr && move->to == removal->path;
           });
}

std::string describe_directory(const MakeDirectory& step) {
    const char* access = step.web_access == AclAccess::none       ? ""
                         : step.web_access == AclAccess::traverse ? ", web server: x"
                         : step.web_access == AclAccess::read_inherit
                             ? ", web server: rx, inherited"
                             : ", web server: inherited rx";
    return fmt::format("make directory {} (owner {}:{}, mode {:04o}{})", step.path, step.owner.uid,
                       step.owner.gid, step.owner.mode, access);
}

} // namespace

std::string describe(const Step& step) {
    return std::visit(
        Overloaded{
            [](const WriteFile& s) { return fmt::format("write {}", s.path); },
            [](const RemoveFile& s) { return fmt::format("remove {}", s.path); },
            [](const MakeDirectory& s) { return describe_directory(s); },
            [](const RestoreDirectory& s) {
                return fmt::format("restore directory {} (owner {}:{}, mode {:04o})", s.path,
                                   s.access.owner.uid, s.access.owner.gid, s.access.owner.mode);
            },
            [](const RemoveEmptyDirectory& s) {
                return fmt::format("remove directory {} if empty", s.path);
            },
            [](const RemoveTree& s) {
                return fmt::format("remove directory {} with all in it, for good", s.path);
            },
            [](const MoveTree& s) { return fmt::format("move {} to {}", s.from, s.to); },
            [](const RecordUid& s) {
                return fmt::format("record uid {} as {}'s for good", s.uid, s.name);
            },
            [](const CreateUser& s) {
                return fmt::format("create user {} (uid {}, home {})", s.name, s.uid, s.home);
            },
            [](const RemoveUser& s) {
                return fmt::format("remove user {} (uid {})", s.name, s.uid);
            },
            [](const CheckPool& s) {
                return fmt::format("check {} with php-fpm{} -t as uid {}", s.pool_file, s.php,
                                   s.uid);
            },
            [](const CheckWebServer&) { return std::string("check nginx's configuration"); },
            [](const ReloadWebServer&) {
                return std::string("ReloadUnit(nginx.service) if it is active");
            },
            [](const EnableUnit& s) { return fmt::format("EnableUnitFiles({})", s.unit); },
            [](const DisableUnit& s) { return fmt::format("DisableUnitFiles({})", s.unit); },
            [](const StartUnit& s) { return fmt::format("StartUnit({})", s.unit); },
            [](const StopUnit& s) { return fmt::format("StopUnit({})", s.unit); },
            [](const ForgetUnit& s) {
                return fmt::format("ResetFailedUnit({}) and remove its system.control drop-ins",
                                   s.unit);
            },
            [](const ReloadManagerIfStale& s) {
                return fmt::format("Reload() if one of {} needs it", join(s.units, ", "));
            },
            [](const VerifySlice& s) {
                return fmt::format("verify the limits of tenant {} in the kernel", s.tenant);
            },
            [](const VerifySite& s) {
                return fmt::format("verify the live process of {}", s.domain);
            },
            [](const VerifyHttp& s) { return fmt::format("fetch http://{}/", s.domain); },
        },
        step);
}

bool satisfied(const Step& step, const Observed& observed) {
    return std::visit(
        Overloaded{
            [&](const WriteFile& s) {
                return shows(observed.files, s.path, s.content) &&
                       shows(observed.owners, s.path, s.owner);
            },
            [&](const RemoveFile& s) { return observed.files.count(s.path) == 0; },
            [&](const MakeDirectory& s) { return shows(observed.directories, s.path, true); },
            [&](const RemoveEmptyDirectory& s) { return !shows(observed.trees, s.path, true); },
            [&](const RemoveTree& s) { return !shows(observed.trees, s.path, true); },
            [&](const MoveTree& s) { return !shows(observed.trees, s.from, true); },
            [&](const RecordUid& s) { return shows(observed.recorded_uids, s.name, s.uid); },
            [&](const CreateUser& s) { return shows(observed.users, s.name, s.uid); },
            [&](const RemoveUser& s) {
                return !shows(observed.users, s.name, s.uid) &&
                       !shows(observed.groups, s.name, s.uid);
            },
            [&](const EnableUnit& s) { return shows(observed.enabled, s.unit, true); },
            [&](const DisableUnit& s) { return !shows(observed.enabled, s.unit, true); },
            [&](const StartUnit& s) { return shows(observed.active, s.unit, true); },
            [&](const StopUnit& s) { return !shows(observed.active, s.unit, true); },
            [](const auto&) { return false; },
        },
        step);
}

Steps prune(const Steps& steps, const Observed& observed) {
    Steps left;
    for (const auto& step : steps)
        if (deletes_what_is_moved(step, left) ||
            (!satisfied(step, observed) && !(follows_changes(step) && left.empty())))
            left.push_back(step);
    return left;
}

bool needs_running_system(const Step& step) {
    return std::visit(Overloaded{
                          [](const CheckPool&) { return true; },
                          [](const CheckWebServer&) { return true; },
                          [](const ReloadWebServer&) { return true; },
                          [](const StartUnit&) { return true; },
                          [](const StopUnit&) { return true; },
                          [](const ReloadManagerIfStale&) { return true; },
                          [](const VerifySlice&) { return true; },
                          [](const VerifySite&) { return true; },
                          [](const VerifyHttp&) { return true; },
                          [](const auto&) { return false; },
                      },
                      step);
}

std::optional<Step> undo_of(const Step& step, const Observed& before) {
    using Undo = std::optional<Step>;
    return std::visit(
        Overloaded{
            [&](const WriteFile& s) -> Undo {
                const auto old = before.files.find(s.path);
                if (old == before.files.end())
                    return RemoveFile{s.path};
                return WriteFile{s.path, old->second, before.owners.at(s.path)};
            },
            [&](const RemoveFile& s) -> Undo {
                const auto old = before.files.find(s.path);
                if (old == before.files.end())
                    return std::nullopt;
                return WriteFile{s.path, old->second, before.owners.at(s.path)};
            },
            [&](const MakeDirectory& s) -> Undo {
                if (const auto old = before.access.find(s.path); old != before.access.end())
                    return RestoreDirectory{s.path, old->second};
                return s.scratch ? Undo(RemoveTree{s.path}) : Undo(RemoveEmptyDirectory{s.path});
            },
            [&](const CreateUser& s) -> Undo {
                if (before.users.count(s.name) != 0)
                    return std::nullopt;
                return RemoveUser{s.name, s.uid, s.home};
            },
            [&](const RemoveUser& s) -> Undo {
                return shows(before.users, s.name, s.uid) ? Undo(CreateUser{s.name, s.uid, s.home})
                                                          : Undo();
            },
            [&](const MoveTree& s) -> Undo {
                return shows(before.trees, s.from, true) ? Undo(MoveTree{s.to, s.from}) : Undo();
            },
            [&](const EnableUnit& s) -> Undo {
                return shows(before.enabled, s.unit, true) ? Undo() : Undo(DisableUnit{s.unit});
            },
            [&](const DisableUnit& s) -> Undo {
                return shows(before.enabled, s.unit, true) ? Undo(EnableUnit{s.unit}) : Undo();
            },
            [&](const StartUnit& s) -> Undo {
                return shows(before.active, s.unit, true) ? Undo() : Undo(StopUnit{s.unit});
            },
            [&](const StopUnit& s) -> Undo {
                return shows(before.active, s.unit, true) ? Undo(StartUnit{s.unit}) : Undo();
            },
            [](const auto&) -> Undo { return std::nullopt; },
        },
        step);
}

} // namespace tenantctl
