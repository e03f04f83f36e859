#include "apply/apply.hpp"

#include "apply/observe.hpp"
#include "base/interrupt.hpp"
#include "base/paths.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <array>
#include <set>

namespace tenantctl {

namespace {

struct Done {
    Step step;
    Observed before;
};

// Publishes again what a reload had published, now that it has been taken back.
bool publishes(const Step& step) {
    return std::holds_alternative<ReloadWebServer>(step) ||
           std::holds_alternative<ReloadManagerIfStale>(step);
}

class Undoing {
public:
    Undoing(const Box& box, const StepWatcher& watcher) : box_(box), watcher_(watcher) {}

    void take_back(const Done& done) {
        if (const auto undo = undo_of(done.step, done.before))
            run(*undo);
        else if (publishes(done.step))
            republish_.push_back(done.step);
    }

    // Every reload once, at the end.
    std::string finish() {
        for (const auto& step : republish_)
            run(step);
        return report_.empty() ? "\nNothing had been changed" : report_;
    }

private:
    void run(const Step& step) {
        if (watcher_)
            watcher_(step, true);
        const auto result = execute(box_, step);
        report_ +=
            result ? fmt::format("\nUndone: {}", describe(step))
                   : fmt::format("\nNot undone: {}: {}", describe(step), result.error().message);
    }

    const Box& box_;
    const StepWatcher& watcher_;
    Steps republish_;
    std::string report_;
};

// systemd does not always say that a full disk is what made it fail (a transient unit that it could
// not write is "no such unit").
std::string full_file_systems(const Paths& paths) {
    constexpr std::array places{box_path::runtime, box_path::units, box_path::state,
                                box_path::homes, box_path::web_logs};
    constexpr std::uint64_t needed = 16384;
    std::string text;
    std::set<unsigned long> seen;
    for (const auto place : places) {
        struct statvfs info {};
        if (statvfs(paths.on_disk(place).c_str(), &info) < 0 || !seen.insert(info.f_fsid).second)
            continue;
        if (std::uint64_t{info.f_bavail} * info.f_frsize < needed ||
            (info.f_files > 0 && info.f_favail == 0))
            text += fmt::format("\nThe file system of {} is full; make room there", place);
    }
    return text;
}

// What was there before is noted even when the step then fails: it may have done a part of its
// work.
Result<void> carry_out(const Box& box, const Step& step, const StepWatcher& watcher,
                       std::vector<Done>& done) {
    if (interrupted())
        return Error{Errc::failure, "Interrupted"};
    auto before = TRY(observe(box, {step}));
    done.push_back({step, std::move(before)});
    if (watcher)
        watcher(step, false);
    return execute(box, step);
}

} // namespace

Result<void> apply_steps(const Box& box, const Steps& steps, const StepWatcher& watcher) {
    remember_interrupts();
    std::vector<Done> done;
    bool deleting = false;
    std::string undeleted;
    for (const auto& step : steps) {
        deleting = deleting || std::holds_alternative<RemoveTree>(step);
        const auto result = carry_out(box, step, watcher, done);
        if (result)
            continue;
        if (deleting) {
            undeleted += fmt::format("\nNot done: {}: {}", describe(step), result.error().message);
            continue;
        }
        Undoing undoing(box, watcher);
        for (auto last = done.rbegin(); last != done.rend(); ++last)
            undoing.take_back(*last);
        auto error = result.error();
        error.message += full_file_systems(box.paths);
        error.message += undoing.finish();
        return error;
    }
    if (undeleted.empty())
        return {};
    return Error{Errc::failure,
                 "All is done but what follows, which \"tenantctl apply\" tries again" + undeleted};
}

} // namespace tenantctl
