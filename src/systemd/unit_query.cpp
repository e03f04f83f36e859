#include "systemd/unit_query.hpp"

#include "base/text.hpp"
#include "systemd/properties.hpp"

#include <cctype>
#include <cstdlib>
#include <memory>

namespace tenantctl {

namespace {

constexpr const char* properties_interface = "org.freedesktop.DBus.Properties";
constexpr auto query_timeout = std::chrono::minutes(2);

} // namespace

Bus::Clock::time_point query_deadline() {
    return Bus::Clock::now() + query_timeout;
}

std::string unit_object(std::string_view unit) {
    char* path = nullptr;
    if (sd_bus_path_encode("/org/freedesktop/systemd1/unit", std::string(unit).c_str(), &path) < 0)
        return {};
    const std::unique_ptr<char, decltype(&std::free)> owner(path, &std::free);
    return path;
}

std::string unit_type_interface(std::string_view unit) {
    std::string type(unit.substr(unit.rfind('.') + 1));
    if (!type.empty())
        type.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(type.front())));
    return "org.freedesktop.systemd1." + type;
}

Result<UnitState> query_state(Bus& bus, std::string_view unit) {
    // The empty interface stands for all that the object has.
    const auto all_interfaces = [](sd_bus_message* call) {
        return sd_bus_message_append(call, "s", "");
    };
    const BusReply reply = bus.call({"GetAll", properties_interface, unit_object(unit)},
                                    all_interfaces, query_deadline());
    if (!reply)
        return Error{Errc::failure, fault_text(reply.fault)};
    Properties properties;
    if (read_properties(reply.message.get(), properties) < 0)
        return Error{Errc::failure, "cannot read systemd's answer"};
    return unit_state(properties);
}

BusReply query_property(Bus& bus, const std::string& object, const std::string& interface,
                        std::string_view name) {
    const std::string property(name);
    const auto arguments = [&](sd_bus_message* call) {
        return sd_bus_message_append(call, "ss", interface.c_str(), property.c_str());
    };
    return bus.call({"Get", properties_interface, object}, arguments, query_deadline());
}

Result<std::string> property_text(const BusReply& reply) {
    if (!reply)
        return Error{Errc::failure, fault_text(reply.fault)};
    std::vector<std::string> texts;
    if (read_variant(reply.message.get(), texts) < 0)
        return Error{Errc::failure, "cannot read systemd's answer"};
    return join(texts, " ");
}

} // namespace tenantctl
