// What the box shows of the things that steps name.
#pragma once

#include "apply/box.hpp"
#include "tenant/step.hpp"

namespace tenantctl {

// Looks at exactly what `satisfied` and `undo_of` need for these steps. Loads no unit.
Result<Observed> observe(const Box& box, const Steps& steps);

} // namespace tenantctl
