#include "apply/apply.hpp"

#include "apply/observe.hpp"
#include "base/interrupt.hpp"

#include <fmt/format.h>

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
    for (const auto& step : steps) {
        const auto result = carry_out(box, step, watcher, done);
        if (result)
            continue;
        Undoing undoing(box, watcher);
        for (auto last = done.rbegin(); last != done.rend(); ++last)
            undoing.take_back(*last);
        auto error = result.error();
        error.message += undoing.finish();
        return error;
    }
    return {};
}

} // namespace tenantctl
