#include "cgroup/files.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "tenant/limits.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace tenantctl {

namespace {

template <class Number>
std::optional<Number> to_number(std::string_view text, int base = 10) {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

// The number behind "name=" in a line of PSI.
template <class Number>
std::optional<Number> psi_field(const std::string& line, std::string_view name) {
    for (const auto& field : split(line, ' ')) {
        if (!field.starts_with(std::string(name) + "="))
            continue;
        const auto text = std::string_view(field).substr(name.size() + 1);
        if constexpr (std::is_floating_point_v<Number>)
            return std::strtod(std::string(text).c_str(), nullptr);
        else
            return to_number<Number>(text);
    }
    return std::nullopt;
}

std::vector<std::uint32_t> ids(std::string_view text) {
    std::vector<std::uint32_t> numbers;
    for (const auto& field : split(text, '\t'))
        if (const auto value = to_number<std::uint32_t>(field))
            numbers.push_back(*value);
    return numbers;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.remove_suffix(1);
    while (!text.empty() && (text.front() == '\t' || text.front() == ' '))
        text.remove_prefix(1);
    return text;
}

} // namespace

std::map<std::string, std::uint64_t> parse_flat_keyed(std::string_view text) {
    std::map<std::string, std::uint64_t> values;
    for (const auto& line : split(text, '\n')) {
        const auto space = line.find(' ');
        if (space == std::string::npos)
            continue;
        if (const auto value = to_number<std::uint64_t>(std::string_view(line).substr(space + 1)))
            values[line.substr(0, space)] = *value;
    }
    return values;
}

std::optional<std::uint64_t> parse_single(std::string_view text) {
    text = trimmed(text);
    if (text == "max")
        return unlimited;
    return to_number<std::uint64_t>(text);
}

std::optional<Pressure> parse_pressure(std::string_view text) {
    Pressure pressure;
    bool some = false;
    for (const auto& line : split(text, '\n')) {
        const auto avg10 = psi_field<double>(line, "avg10");
        const auto total = psi_field<std::uint64_t>(line, "total");
        if (!avg10 || !total)
            continue;
        if (line.starts_with("some ")) {
            some = true;
            pressure.some_avg10 = *avg10;
            pressure.some_total = *total;
        } else if (line.starts_with("full ")) {
            pressure.full_avg10 = *avg10;
            pressure.full_total = *total;
        }
    }
    return some ? std::optional(pressure) : std::nullopt;
}

ProcessPowers parse_process_status(std::string_view text) {
    ProcessPowers powers;
    for (const auto& line : split(text, '\n')) {
        const auto colon = line.find(':');
        if (colon == std::string::npos)
            continue;
        const auto key = line.substr(0, colon);
        const auto value = trimmed(std::string_view(line).substr(colon + 1));
        if (key == "Uid")
            powers.uids = ids(value);
        else if (key == "Gid")
            powers.gids = ids(value);
        else if (key == "CapEff")
            powers.capabilities_effective = to_number<std::uint64_t>(value, 16).value_or(~0ULL);
        else if (key == "CapBnd")
            powers.capabilities_bounding = to_number<std::uint64_t>(value, 16).value_or(~0ULL);
        else if (key == "NoNewPrivs")
            powers.no_new_privileges = value == "1";
        else if (key == "Seccomp")
            powers.seccomp = to_number<int>(value).value_or(0);
    }
    return powers;
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
    std::vector<Mount> mounts;
    for (const auto& line : split(text, '\n')) {
        // ID PARENT MAJ:MIN ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPEROPTIONS
        const auto fields = split(line, ' ');
        if (fields.size() < 9)
            continue;
        std::size_t dash = 6;
        while (dash < fields.size() && fields[dash] != "-")
            ++dash;
        if (dash + 1 < fields.size())
            mounts.push_back({fields[3], fields[4], fields[5], fields[dash + 1]});
    }
    return mounts;
}

std::string parse_proc_cgroup(std::string_view text) {
    for (const auto& line : split(text, '\n'))
        if (line.starts_with("0::"))
            return line.substr(3);
    return {};
}

std::optional<std::string> read_cgroup_file(const std::string& cgroup, std::string_view file) {
    const auto content = read_file_if_exists(fmt::format("/sys/fs/cgroup{}/{}", cgroup, file));
    if (!content || !*content)
        return std::nullopt;
    return **content;
}

} // namespace tenantctl
