#include "systemd/transient.hpp"

#include <cerrno>

namespace tenantctl {

namespace {

int append_text(sd_bus_message* call, const char* property, const std::string& text) {
    return sd_bus_message_append(call, "(sv)", property, "s", text.c_str());
}

// ExecStart, a(sasb): the program, its arguments, whether its failure is ignored.
int append_command(sd_bus_message* call, const std::vector<std::string>& argv) {
    std::vector<char*> arguments; // what sd-bus takes, which changes none of them
    arguments.reserve(argv.size() + 1);
    for (const std::string& argument : argv)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);

    const int ignore_failure = 0;
    int r = sd_bus_message_open_container(call, SD_BUS_TYPE_STRUCT, "sv");
    if (r >= 0)
        r = sd_bus_message_append(call, "s", "ExecStart");
    if (r >= 0)
        r = sd_bus_message_open_container(call, SD_BUS_TYPE_VARIANT, "a(sasb)");
    if (r >= 0)
        r = sd_bus_message_open_container(call, SD_BUS_TYPE_ARRAY, "(sasb)");
    if (r >= 0)
        r = sd_bus_message_open_container(call, SD_BUS_TYPE_STRUCT, "sasb");
    if (r >= 0)
        r = sd_bus_message_append(call, "s", argv.front().c_str());
    if (r >= 0)
        r = sd_bus_message_append_strv(call, arguments.data());
    if (r >= 0)
        r = sd_bus_message_append(call, "b", ignore_failure);
    for (int container = 0; r >= 0 && container < 4; ++container)
        r = sd_bus_message_close_container(call);
    return r;
}

int append_service_properties(sd_bus_message* call, const TransientService& service) {
    const int remain = service.remain_after_exit ? 1 : 0;
    int r = append_text(call, "Description", service.description);
    // A oneshot's start job ends with the program's end, and so tells how it went.
    if (r >= 0)
        r = append_text(call, "Type", "oneshot");
    if (r >= 0)
        r = append_text(call, "CollectMode", "inactive-or-failed");
    if (r >= 0)
        r = sd_bus_message_append(call, "(sv)", "RemainAfterExit", "b", remain);
    if (r >= 0 && !service.slice.empty())
        r = append_text(call, "Slice", service.slice);
    if (r >= 0 && !service.user.empty())
        r = append_text(call, "User", service.user);
    if (r >= 0)
        r = append_command(call, service.argv);
    return r;
}

} // namespace

int append_transient_service(sd_bus_message* call, const TransientService& service) {
    if (service.argv.empty())
        return -EINVAL;
    int r = sd_bus_message_append(call, "ss", service.name.c_str(), "fail");
    if (r >= 0)
        r = sd_bus_message_open_container(call, SD_BUS_TYPE_ARRAY, "(sv)");
    if (r >= 0)
        r = append_service_properties(call, service);
    if (r >= 0)
        r = sd_bus_message_close_container(call);
    // No auxiliary units.
    return r < 0 ? r : sd_bus_message_append(call, "a(sa(sv))", 0);
}

int append_limits(sd_bus_message* call, const std::string& unit, bool runtime,
                  const std::vector<UnitLimit>& limits) {
    int r = sd_bus_message_append(call, "sb", unit.c_str(), runtime ? 1 : 0);
    if (r >= 0)
        r = sd_bus_message_open_container(call, SD_BUS_TYPE_ARRAY, "(sv)");
    for (const UnitLimit& limit : limits)
        if (r >= 0)
            r = sd_bus_message_append(call, "(sv)", limit.property.c_str(), "t", limit.value);
    return r < 0 ? r : sd_bus_message_close_container(call);
}

} // namespace tenantctl
