// Arguments of calls that carry lists of properties.
#pragma once

#include "systemd/unit_manager.hpp"

#include <systemd/sd-bus.h>

#include <string>
#include <vector>

namespace tenantctl {

// Of StartTransientUnit. Negative errno on failure, as sd-bus has it.
int append_transient_service(sd_bus_message* call, const TransientService& service);

// Of SetUnitProperties. Negative errno on failure.
int append_limits(sd_bus_message* call, const std::string& unit, bool runtime,
                  const std::vector<UnitLimit>& limits);

} // namespace tenantctl
