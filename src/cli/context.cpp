#include "cli/context.hpp"

#include "apply/apply.hpp"
#include "apply/observe.hpp"
#include "apply/resolve.hpp"
#include "base/diff.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tenantctl {

namespace {

// The change of a file that a step stands for, or an empty string.
std::string diff_of(const Step& step, const Observed& observed) {
    const auto before = [&](const std::string& path) {
        const auto found = observed.files.find(path);
        return found == observed.files.end() ? std::string() : found->second;
    };
    if (const auto* write = std::get_if<WriteFile>(&step))
        return unified_diff(before(write->path), write->content);
    if (const auto* removal = std::get_if<RemoveFile>(&step))
        return unified_diff(before(removal->path), "");
    return {};
}

void note_plan(const Context& context, const Steps& steps, const Observed& observed) {
    context.dry_run->planned = true;
    for (const auto& step : steps)
        context.dry_run->rows.push_back({describe(step), diff_of(step, observed)});
}

} // namespace

Result<Box> box_of(const Context& context) {
    const auto web_uid = TRY(web_server_ids(context.paths)).uid;
    return Box{context.paths, *context.units, web_uid};
}

Result<bool> run_steps(const Context& context, const Box& box, const Steps& steps) {
    Steps possible = steps;
    if (!context.paths.live())
        possible.erase(std::remove_if(possible.begin(), possible.end(), needs_running_system),
                       possible.end());
    const auto observed = TRY(observe(box, possible));
    const auto left = prune(possible, observed);
    if (context.options.dry_run) {
        note_plan(context, left, observed);
        return false;
    }
    TRY(apply_steps(box, left, [&](const Step& step, bool undo) {
        if (context.options.verbose)
            say(context, fmt::format("{}{}", undo ? "Undoing: " : "", describe(step)));
    }));
    return !left.empty();
}

void print_dry_run(const Context& context) {
    const auto& rows = context.dry_run->rows;
    if (!context.dry_run->planned)
        return;
    if (context.options.json != JsonMode::off) {
        auto json = nlohmann::ordered_json::array();
        for (const auto& row : rows)
            json.push_back({{"step", row.step}, {"diff", row.diff}});
        print_json(context, json);
        return;
    }
    std::size_t number = 0;
    for (const auto& row : rows) {
        fmt::print("{:3}. {}\n", ++number, row.step);
        for (std::size_t start = 0; start < row.diff.size();) {
            const auto end = row.diff.find('\n', start);
            fmt::print("       {}\n", std::string_view(row.diff).substr(start, end - start));
            start = end + 1;
        }
    }
    if (rows.empty())
        say(context, "Nothing to do.");
}

void say(const Context&, const std::string& line) {
    print_message(line);
}

void print_json(const Context& context, const nlohmann::ordered_json& json) {
    fmt::print("{}\n", json.dump(context.options.json == JsonMode::pretty ? 8 : -1, ' ', false,
                                 nlohmann::json::error_handler_t::replace));
}

} // namespace tenantctl
