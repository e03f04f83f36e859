#include "apply/observe.hpp"

#include "base/files.hpp"
#include "store/store.hpp"

#include <type_traits>

namespace tenantctl {

namespace {

// One overload for each kind of thing that a step names.
class Observer {
public:
    Observer(const Box& box, Observed& seen) : box_(box), seen_(seen) {}

    Result<void> operator()(const WriteFile& step) { return file(step.path); }
    Result<void> operator()(const RemoveFile& step) { return file(step.path); }
    Result<void> operator()(const RemoveEmptyDirectory& step) { return tree(step.path); }
    Result<void> operator()(const RemoveTree& step) { return tree(step.path); }
    Result<void> operator()(const MoveTree& step) { return tree(step.from); }
    Result<void> operator()(const MakeDirectory& step) {
        seen_.directories[step.path] = TRY(directory_matches(
            box_.paths.on_disk(step.path), step.owner, step.web_access, box_.web_uid));
        if (auto access = TRY(directory_access_if_exists(box_.paths.on_disk(step.path))))
            seen_.access[step.path] = *std::move(access);
        return {};
    }
    Result<void> operator()(const RecordUid& step) {
        const auto ledger = TRY(UidLedger::load(box_.paths));
        if (const auto uid = ledger.find(step.name))
            seen_.recorded_uids[step.name] = *uid;
        return {};
    }
    Result<void> operator()(const CreateUser& step) { return user(step.name); }
    Result<void> operator()(const RemoveUser& step) { return user(step.name); }
    Result<void> operator()(const EnableUnit& step) { return enabled(step.unit); }
    Result<void> operator()(const DisableUnit& step) { return enabled(step.unit); }
    Result<void> operator()(const StartUnit& step) {
        TRY(active(step.unit));
        if (lacks_file(box_.paths, step))
            seen_.active[step.unit] = false;
        return {};
    }
    Result<void> operator()(const StopUnit& step) { return active(step.unit); }
    template <class Other>
    Result<void> operator()(const Other&) {
        return {};
    }

private:
    Result<void> file(const std::string& path) {
        const auto place = box_.paths.on_disk(path);
        auto content = TRY(read_file_if_exists(place));
        const auto owner = TRY(file_owner_if_exists(place));
        if (content && owner) {
            seen_.files[path] = *std::move(content);
            seen_.owners[path] = *owner;
        }
        return {};
    }
    Result<void> tree(const std::string& path) {
        seen_.trees[path] = path_exists(box_.paths.on_disk(path));
        return {};
    }
    Result<void> user(const std::string& name) {
        if (const auto ids = TRY(find_user(box_.paths, name)))
            seen_.users[name] = ids->uid;
        if (const auto gid = TRY(find_group(box_.paths, name)))
            seen_.groups[name] = *gid;
        return {};
    }
    Result<void> enabled(const std::string& unit) {
        seen_.enabled[unit] = TRY(box_.units.enabled(unit));
        return {};
    }
    Result<void> active(const std::string& unit) {
        const auto state = TRY(box_.units.loaded_state(unit));
        seen_.active[unit] =
            state && state->active_state != "inactive" && state->active_state != "failed";
        return {};
    }

    const Box& box_;
    Observed& seen_;
};

} // namespace

bool lacks_file(const Paths& paths, const StartUnit& step) {
    // Nothing listens below --root=.
    return paths.live() && !step.makes.empty() && !path_exists(step.makes);
}

Result<Observed> observe(const Box& box, const Steps& steps) {
    Observed seen;
    Observer observer(box, seen);
    for (const auto& step : steps)
        TRY(std::visit(observer, step));
    return seen;
}

} // namespace tenantctl
