#include "systemd/properties.hpp"

#include <charconv>
#include <cstdint>

namespace tenantctl {

namespace {

int read_list(sd_bus_message* message, std::vector<std::string>& texts) {
    int r = sd_bus_message_enter_container(message, SD_BUS_TYPE_ARRAY, "s");
    const char* text = nullptr;
    while (r >= 0 && (r = sd_bus_message_read_basic(message, SD_BUS_TYPE_STRING, &text)) > 0)
        texts.emplace_back(text);
    return r < 0 ? r : sd_bus_message_exit_container(message);
}

template <class T>
int read_number(sd_bus_message* message, char type, std::vector<std::string>& texts) {
    T value{};
    const int r = sd_bus_message_read_basic(message, type, &value);
    if (r > 0)
        texts.push_back(std::to_string(value));
    return r;
}

int read_text(sd_bus_message* message, char type, std::vector<std::string>& texts) {
    const char* text = nullptr;
    const int r = sd_bus_message_read_basic(message, type, &text);
    if (r > 0)
        texts.emplace_back(text);
    return r;
}

int read_bool(sd_bus_message* message, std::vector<std::string>& texts) {
    int value = 0; // what sd-bus reads a boolean into
    const int r = sd_bus_message_read_basic(message, SD_BUS_TYPE_BOOLEAN, &value);
    if (r > 0)
        texts.emplace_back(value != 0 ? "yes" : "no");
    return r;
}

int read_value(sd_bus_message* message, std::string_view type, std::vector<std::string>& texts) {
    if (type == "as")
        return read_list(message, texts);
    if (type == "s" || type == "o")
        return read_text(message, type.front(), texts);
    if (type == "b")
        return read_bool(message, texts);
    if (type == "u")
        return read_number<std::uint32_t>(message, SD_BUS_TYPE_UINT32, texts);
    if (type == "i")
        return read_number<std::int32_t>(message, SD_BUS_TYPE_INT32, texts);
    if (type == "t")
        return read_number<std::uint64_t>(message, SD_BUS_TYPE_UINT64, texts);
    if (type == "x")
        return read_number<std::int64_t>(message, SD_BUS_TYPE_INT64, texts);
    return sd_bus_message_skip(message, std::string(type).c_str());
}

std::string text_of(const Properties& properties, std::string_view name) {
    const auto found = properties.find(name);
    return found == properties.end() || found->second.empty() ? std::string()
                                                              : found->second.front();
}

template <class T>
T number_of(const Properties& properties, std::string_view name) {
    const std::string text = text_of(properties, name);
    T value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace

int read_variant(sd_bus_message* message, std::vector<std::string>& texts) {
    const char* type = nullptr;
    int r = sd_bus_message_peek_type(message, nullptr, &type);
    if (r >= 0)
        r = sd_bus_message_enter_container(message, SD_BUS_TYPE_VARIANT, type);
    if (r >= 0)
        r = read_value(message, type, texts);
    return r < 0 ? r : sd_bus_message_exit_container(message);
}

int read_properties(sd_bus_message* message, Properties& properties) {
    int r = sd_bus_message_enter_container(message, SD_BUS_TYPE_ARRAY, "{sv}");
    if (r < 0)
        return r;
    while ((r = sd_bus_message_enter_container(message, SD_BUS_TYPE_DICT_ENTRY, "sv")) > 0) {
        const char* name = nullptr;
        r = sd_bus_message_read_basic(message, SD_BUS_TYPE_STRING, &name);
        if (r >= 0)
            r = read_variant(message, properties[name]);
        if (r >= 0)
            r = sd_bus_message_exit_container(message);
        if (r < 0)
            return r;
    }
    return r < 0 ? r : sd_bus_message_exit_container(message);
}

UnitState unit_state(const Properties& properties) {
    UnitState state;
    state.load_state = text_of(properties, "LoadState");
    state.active_state = text_of(properties, "ActiveState");
    state.sub_state = text_of(properties, "SubState");
    state.result = text_of(properties, "Result");
    state.fragment_path = text_of(properties, "FragmentPath");
    state.control_group = text_of(properties, "ControlGroup");
    state.slice = text_of(properties, "Slice");
    state.need_daemon_reload = text_of(properties, "NeedDaemonReload") == "yes";
    state.main_pid = number_of<std::uint32_t>(properties, "MainPID");
    state.exit_status = number_of<std::int32_t>(properties, "ExecMainStatus");
    state.restarts = number_of<std::uint32_t>(properties, "NRestarts");
    state.active_since = number_of<std::uint64_t>(properties, "ActiveEnterTimestamp");
    state.inactive_since = number_of<std::uint64_t>(properties, "InactiveEnterTimestamp");
    if (const auto found = properties.find("DropInPaths"); found != properties.end())
        state.drop_in_paths = found->second;
    return state;
}

} // namespace tenantctl
