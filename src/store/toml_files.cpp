#include "store/toml_files.hpp"

#include "base/text.hpp"
#include "tenant/names.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>

namespace tenantctl {

namespace {

// A table of a file, with what its errors need.
class Table {
public:
    Table(const toml::table& table, std::string file, std::string name)
        : table_(table), file_(std::move(file)), name_(std::move(name)) {}

    Error error(std::string_view key, std::string_view what) const {
        const auto* node = table_.get(key);
        const auto line = (node != nullptr ? node->source() : table_.source()).begin.line;
        return Error{Errc::invalid,
                     fmt::format("{}:{}: {}{}: {}", file_, line, name_, escaped(key, 64), what)};
    }

    Result<void> only(std::initializer_list<std::string_view> known) const {
        std::vector<std::string> names(known.begin(), known.end());
        for (const auto& [key, node] : table_) {
            const std::string found(key.str());
            if (std::find(names.begin(), names.end(), found) != names.end())
                continue;
            const auto near = nearest(found, names);
            return error(found, near.empty()
                                    ? fmt::format("unknown key (known: {})", join(names, ", "))
                                    : fmt::format("unknown key; did you mean {}?", near));
        }
        return {};
    }

    Result<std::string> text(std::string_view key, std::string fallback) const {
        const auto* node = table_.get(key);
        if (node == nullptr)
            return fallback;
        if (const auto* value = node->as_string())
            return value->get();
        return error(key, "not a string");
    }

    Result<std::uint64_t> number(std::string_view key, std::uint64_t fallback, std::uint64_t least,
                                 std::uint64_t most) const {
        const auto* node = table_.get(key);
        if (node == nullptr)
            return fallback;
        const auto* value = node->as_integer();
        if (value == nullptr || value->get() < 0 ||
            static_cast<std::uint64_t>(value->get()) < least ||
            static_cast<std::uint64_t>(value->get()) > most)
            return error(key, fmt::format("not a whole number from {} to {}", least, most));
        return static_cast<std::uint64_t>(value->get());
    }

    Result<std::vector<std::string>> texts(std::string_view key) const {
        std::vector<std::string> values;
        const auto* node = table_.get(key);
        if (node == nullptr)
            return values;
        const auto* array = node->as_array();
        if (array == nullptr)
            return error(key, "not a list of strings");
        for (const auto& element : *array) {
            const auto* value = element.as_string();
            if (value == nullptr)
                return error(key, "not a list of strings");
            values.push_back(value->get());
        }
        return values;
    }

    // The tables of [[key]], or the one of [key].
    Result<std::vector<Table>> tables(std::string_view key) const {
        std::vector<Table> all;
        const auto* node = table_.get(key);
        if (node == nullptr)
            return all;
        if (const auto* one = node->as_table()) {
            all.emplace_back(*one, file_, fmt::format("{}.", key));
            return all;
        }
        const auto* array = node->as_array();
        if (array == nullptr)
            return error(key, "not a table");
        for (const auto& element : *array) {
            const auto* one = element.as_table();
            if (one == nullptr)
                return error(key, "not a list of tables");
            all.emplace_back(*one, file_, fmt::format("{}.", key));
        }
        return all;
    }

    // A limit is written as on the command line, or as an integer where it has no unit.
    Result<std::optional<std::uint64_t>> limit(const LimitKind& kind) const {
        const auto* node = table_.get(kind.key);
        if (node == nullptr)
            return std::optional<std::uint64_t>();
        std::string written;
        if (const auto* as_text = node->as_string())
            written = as_text->get();
        else if (const auto* as_number = node->as_integer())
            written = std::to_string(as_number->get());
        else
            return error(kind.key, "not a string or a whole number");
        auto value = parse_limit(kind, written);
        if (!value)
            return error(kind.key, value.error().message);
        return std::optional<std::uint64_t>(*value);
    }

private:
    const toml::table& table_;
    std::string file_;
    std::string name_;
};

// The one place where an exception of toml++ is caught.
Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        return Error{Errc::invalid, fmt::format("{}:{}: {}", file, error.source().begin.line,
                                                escaped(error.description()))};
    }
}

Result<Limits> read_limits(const Table& parent) {
    Limits limits;
    for (const auto& table : TRY(parent.tables("limits"))) {
        TRY(table.only({"memory_high", "memory_max", "memory_swap_max", "memory_low", "tasks_max",
                        "cpu_quota", "cpu_weight", "io_weight"}));
        for (const auto& kind : limit_kinds)
            limits.*kind.member = TRY(table.limit(kind));
    }
    return limits;
}

Result<SiteSpec> read_site(const Table& table, const std::string& tenant) {
    TRY(table.only({"domain", "aliases", "php", "root"}));
    SiteSpec site;
    site.domain = TRY(table.text("domain", ""));
    const auto domain = parse_domain(site.domain);
    if (!domain)
        return table.error("domain", domain.error().message);
    site.aliases = TRY(table.texts("aliases"));
    site.php = TRY(table.text("php", ""));
    site.root = TRY(table.text("root", site_directory(tenant, site.domain) + "/public"));
    return site;
}

} // namespace

Result<TenantSpec> parse_tenant_file(std::string_view text, const std::string& file) {
    const auto parsed = TRY(parse_toml(text, file));
    const Table table(parsed, file, "");
    TRY(table.only({"name", "plan", "limits", "site"}));
    TenantSpec tenant;
    tenant.name = TRY(table.text("name", ""));
    tenant.plan = TRY(table.text("plan", tenant.plan));
    const auto name = parse_tenant_name(tenant.name);
    if (!name)
        return table.error("name", name.error().message);
    tenant.limits = TRY(read_limits(table));
    for (const auto& site : TRY(table.tables("site")))
        tenant.sites.push_back(TRY(read_site(site, tenant.name)));
    return tenant;
}

Result<PlanSpec> parse_plan_file(std::string_view text, const std::string& file) {
    const auto parsed = TRY(parse_toml(text, file));
    const Table table(parsed, file, "");
    TRY(table.only({"name", "limits", "disable_functions"}));
    PlanSpec plan;
    plan.name = TRY(table.text("name", ""));
    if (plan.name != "default") {
        const auto name = parse_tenant_name(plan.name);
        if (!name)
            return table.error("name", "not a plan's name: a-z, then a-z, 0-9 and _");
    }
    plan.limits = TRY(read_limits(table));
    plan.disable_functions = TRY(table.texts("disable_functions"));
    return plan;
}

Result<BoxSpec> parse_box_file(std::string_view text, const std::string& file) {
    const auto parsed = TRY(parse_toml(text, file));
    const Table table(parsed, file, "");
    TRY(table.only({"default_php", "uid_first", "uid_last", "connections_per_tenant", "body_max"}));
    BoxSpec box;
    box.default_php = TRY(table.text("default_php", box.default_php));
    box.uid_first =
        static_cast<std::uint32_t>(TRY(table.number("uid_first", box.uid_first, 1000, 4000000000)));
    box.uid_last = static_cast<std::uint32_t>(
        TRY(table.number("uid_last", box.uid_last, box.uid_first, 4000000000)));
    box.connections_per_tenant =
        TRY(table.number("connections_per_tenant", box.connections_per_tenant, 1, 65535));
    box.body_max = TRY(table.text("body_max", box.body_max));
    if (!box.default_php.empty())
        if (const auto version = parse_php_version(box.default_php); !version)
            return table.error("default_php", version.error().message);
    return box;
}

std::string format_tenant_file(const TenantSpec& tenant) {
    toml::table limits;
    for (const auto& kind : limit_kinds)
        if (const auto& value = tenant.limits.*kind.member) {
            const bool plain =
                kind.unit == LimitKind::Unit::count || kind.unit == LimitKind::Unit::weight;
            if (plain && *value != unlimited)
                limits.insert(kind.key, static_cast<std::int64_t>(*value));
            else
                limits.insert(kind.key, format_limit(kind, *value));
        }
    toml::array sites;
    for (const auto& site : tenant.sites) {
        toml::array aliases;
        for (const auto& alias : site.aliases)
            aliases.push_back(alias);
        toml::table one{{"domain", site.domain}, {"php", site.php}, {"root", site.root}};
        if (!aliases.empty())
            one.insert("aliases", aliases);
        sites.push_back(one);
    }
    toml::table whole{{"name", tenant.name}, {"plan", tenant.plan}};
    if (!limits.empty())
        whole.insert("limits", limits);
    if (!sites.empty())
        whole.insert("site", sites);
    std::ostringstream out;
    out << "# The desired state of tenant " << tenant.name << "; see tenant.toml(5).\n"
        << whole << "\n";
    return out.str();
}

} // namespace tenantctl
