// Carrying out a list of steps, and taking it back when one fails.
#pragma once

#include "apply/box.hpp"
#include "tenant/step.hpp"

#include <functional>

namespace tenantctl {

// Told of every step before it is carried out or taken back: for --verbose.
using StepWatcher = std::function<void(const Step& step, bool undo)>;

// Carries out the steps in order. When one fails, those done are taken back in reverse, and the
// error says what failed, what was undone and what could not be. From the first RemoveTree on
// nothing is taken back, since half of a tenant's data is no state to return to; the rest is tried
// whatever fails, and the error says what could not be deleted.
Result<void> apply_steps(const Box& box, const Steps& steps, const StepWatcher& watcher = {});

// Carries out one step. Each is idempotent.
Result<void> execute(const Box& box, const Step& step);

} // namespace tenantctl
