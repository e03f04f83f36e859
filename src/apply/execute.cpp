// execute: one step, carried out.
#include "apply/apply.hpp"
#include "apply/observe.hpp"
#include "apply/verify.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "store/store.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>

namespace tenantctl {

namespace {

// What a program of the distribution said, made fit for a terminal, line by line.
std::string said(const ProcessOutput& output) {
    std::string text;
    for (const auto& line : split(output.output, '\n'))
        if (!line.empty())
            text += "\n    " + escaped(line, 400);
    return text;
}

class Executor {
public:
    explicit Executor(const Box& box) : box_(box) {}

    Result<void> operator()(const WriteFile& s) const {
        return write_file(on_disk(s.path), s.content, s.owner);
    }
    Result<void> operator()(const RemoveFile& s) const { return remove_file(on_disk(s.path)); }
    Result<void> operator()(const MakeDirectory& s) const {
        const auto path = on_disk(s.path);
        // Above the homes all is root's; below, every directory has a step of its own, and making
        // what is missing by path would follow a tenant's symbolic link.
        if (!s.path.starts_with(std::string(box_path::homes) + "/")) {
            std::error_code ignored; // make_directory says what is wrong
            std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
        }
        return make_directory(path, s.owner, s.web_access, box_.web_uid);
    }
    Result<void> operator()(const RestoreDirectory& s) const {
        return restore_directory_access(on_disk(s.path), s.access);
    }
    Result<void> operator()(const RemoveEmptyDirectory& s) const {
        return remove_directory_if_empty(on_disk(s.path));
    }
    Result<void> operator()(const RemoveTree& s) const { return remove_tree(on_disk(s.path)); }
    Result<void> operator()(const MoveTree& s) const {
        return move_directory(on_disk(s.from), on_disk(s.to));
    }

    Result<void> operator()(const RecordUid& s) const {
        auto ledger = TRY(UidLedger::load(box_.paths));
        return ledger.record(box_.paths, s.name, s.uid);
    }
    Result<void> operator()(const CreateUser& s) const {
        return create_user(box_.paths, s.name, s.uid, s.home);
    }
    Result<void> operator()(const RemoveUser& s) const {
        return remove_user(box_.paths, s.name, s.uid);
    }

    Result<void> operator()(const CheckPool& s) const {
        const auto program = "/usr/sbin/php-fpm" + s.php;
        const auto result = TRY(run_process({program, "-t", "--fpm-config", on_disk(s.pool_file)},
                                            ProcessUser{s.uid, s.uid}));
        if (result.status == 0)
            return {};
        return Error{Errc::invalid,
                     fmt::format("{} refuses {}:{}", program, s.pool_file, said(result))};
    }
    Result<void> operator()(const CheckWebServer&) const {
        const auto result = TRY(run_process({"/usr/sbin/nginx", "-t"}));
        if (result.status == 0)
            return {};
        return Error{Errc::invalid, "nginx -t refuses its configuration:" + said(result)};
    }
    Result<void> operator()(const ReloadWebServer&) const {
        const auto state = TRY(box_.units.state("nginx.service"));
        if (state.active_state == "active" || state.active_state == "reloading")
            return box_.units.reload_or_restart("nginx.service");
        spdlog::warn("nginx.service is {}: the sites are served once it is started",
                     state.active_state);
        return {};
    }

    Result<void> operator()(const EnableUnit& s) const { return box_.units.enable(s.unit); }
    Result<void> operator()(const DisableUnit& s) const { return box_.units.disable(s.unit); }
    Result<void> operator()(const StartUnit& s) const {
        if (lacks_file(box_.paths, s))
            TRY(box_.units.stop(s.unit));
        return box_.units.start(s.unit);
    }
    Result<void> operator()(const StopUnit& s) const {
        TRY(box_.units.stop(s.unit));
        return forget_failure(s.unit);
    }
    Result<void> operator()(const ForgetUnit& s) const {
        TRY(forget_failure(s.unit));
        // Outlives the unit otherwise, and the next one of this name would get the old limits.
        return remove_tree(on_disk(fmt::format("{}/{}.d", box_path::unit_control, s.unit)));
    }
    Result<void> operator()(const ReloadManagerIfStale& s) const {
        for (const auto& unit : s.units)
            if (const auto state = TRY(box_.units.loaded_state(unit));
                state && TRY(is_stale(unit, *state)))
                return box_.units.daemon_reload();
        return {};
    }

    Result<void> operator()(const VerifySlice& s) const {
        return verify_slice(box_, s.tenant, s.limits);
    }
    Result<void> operator()(const VerifySite& s) const {
        return verify_site(box_, s.tenant, s.domain, s.uid);
    }
    Result<void> operator()(const VerifyHttp& s) const { return verify_http(s.domain); }

private:
    // Whether the unit is loaded from other files than there are now. systemd's own word,
    // NeedDaemonReload, covers changed files; it overlooks a file for a slice that was loaded
    // without one, and a new directory of drop-ins.
    Result<bool> is_stale(const std::string& unit, const UnitState& state) const {
        const auto file = fmt::format("{}/{}", box_path::units, unit);
        std::vector<std::string> loaded;
        for (const auto& path : state.drop_in_paths)
            if (path.starts_with(file + ".d/"))
                loaded.push_back(path);
        return state.need_daemon_reload ||
               path_exists(on_disk(file)) != (state.fragment_path == file) ||
               TRY(drop_ins_of(file)) != loaded;
    }
    Result<std::vector<std::string>> drop_ins_of(const std::string& file) const {
        std::vector<std::string> paths;
        for (const auto& name : TRY(list_directory(on_disk(file + ".d"))))
            if (name.ends_with(".conf"))
                paths.push_back(fmt::format("{}.d/{}", file, name));
        return paths;
    }
    std::string on_disk(const std::string& path) const { return box_.paths.on_disk(path); }
    // A unit that is not wanted any more has not failed either.
    Result<void> forget_failure(const std::string& unit) const {
        const auto state = TRY(box_.units.loaded_state(unit));
        return state && state->active_state == "failed" ? box_.units.reset_failed(unit)
                                                        : Result<void>();
    }

    const Box& box_;
};

} // namespace

Result<void> execute(const Box& box, const Step& step) {
    return std::visit(Executor(box), step);
}

} // namespace tenantctl
