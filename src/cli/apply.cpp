// tenantctl apply
#include "apply/preflight.hpp"
#include "apply/resolve.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cli/context.hpp"
#include "store/store.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tenantctl {

namespace {

// Tenants by themselves: one that fails is said and does not keep the others from their turn.
class Applying {
public:
    Applying(const Context& context, const Box& box) : context_(context), box_(box) {}

    // Carries out the steps for `who`; says `done` when there was something to do.
    void run(const std::string& who, const Result<Steps>& steps, const std::string& done) {
        if (interrupted())
            return;
        auto changed = steps ? run_steps(context_, box_, *steps) : Result<bool>(steps.error());
        if (!changed)
            fail(who, changed.error());
        else if (*changed)
            say(context_, done);
    }

    void fail(const std::string& who, const Error& error) {
        say(context_, fmt::format("{}: {}.", who, error.message));
        failed_.push_back(who);
        code_ = error.code;
    }

    Result<void> outcome() const {
        if (interrupted())
            return Error{Errc::failure, "Interrupted; \"tenantctl apply\" does the rest"};
        if (failed_.empty())
            return {};
        // What is wrong with one alone has its own exit status.
        return Error{failed_.size() == 1 ? code_ : Errc::failure,
                     "Not as specified: " + join(failed_, ", ")};
    }

private:
    const Context& context_;
    const Box& box_;
    std::vector<std::string> failed_;
    Errc code_ = Errc::failure;
};

Result<std::vector<std::string>> names_to_apply(const Desired& desired,
                                                const std::vector<std::string>& wanted) {
    std::vector<std::string> known;
    for (const auto& tenant : desired.tenants)
        known.push_back(tenant.name);
    for (const auto& broken : desired.broken_tenants)
        known.push_back(broken.name);
    for (const auto& name : wanted)
        if (std::find(known.begin(), known.end(), name) == known.end())
            return Error{Errc::not_found, fmt::format("There is no tenant {}; see tenantctl list",
                                                      escaped(name, 100))};
    return wanted.empty() ? known : wanted;
}

void clear_away(const Context& context, const Desired& desired, Applying& applying) {
    applying.run("What interrupted commands left", steps_for_leftovers(context.paths),
                 "Removed what interrupted commands had left.");
    const auto orphans = find_orphans(context.paths, desired);
    if (!orphans)
        return applying.fail("What no spec names", orphans.error());
    for (const auto& orphan : *orphans)
        applying.run(orphan.name, orphan.steps,
                     fmt::format("{} is in no spec: removed; its files stay.", orphan.name));
}

} // namespace

Result<void> run(const Context& context, const Apply& command) {
    TRY(check_box(context.paths));
    const auto lock = TRY(StoreLock::take(context.paths, "apply"));
    const auto desired = TRY(load_desired(context.paths));
    const auto names = TRY(names_to_apply(desired, command.names));
    const auto box = TRY(box_of(context));
    Applying applying(context, box);
    if (command.names.empty()) {
        for (const auto& plan : desired.broken_plans)
            applying.fail("Plan " + plan.name, plan.error);
        clear_away(context, desired, applying);
    }
    for (const auto& name : names) {
        if (const auto* error = desired.why_broken(name)) {
            applying.fail("Tenant " + name + " is left as it is", *error);
            continue;
        }
        applying.run("Tenant " + name,
                     steps_for_tenant(context.paths, desired, *desired.find_tenant(name)),
                     fmt::format("Tenant {} matches its spec.", name));
    }
    return applying.outcome();
}

} // namespace tenantctl
