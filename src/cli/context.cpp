#include "cli/context.hpp"

#include "apply/apply.hpp"
#include "apply/observe.hpp"
#include "apply/resolve.hpp"
#include "base/diff.hpp"

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

void print_plan(const Context& context, const Steps& steps, const Observed& observed) {
    if (context.options.json != JsonMode::off) {
        auto rows = nlohmann::ordered_json::array();
        for (const auto& step : steps)
            rows.push_back({{"step", describe(step)}, {"diff", diff_of(step, observed)}});
        print_json(context, rows);
        return;
    }
    std::size_t number = 0;
    for (const auto& step : steps) {
        fmt::print("{:3}. {}\n", ++number, describe(step));
        const auto diff = diff_of(step, observed);
        for (std::size_t start = 0; start < diff.size();) {
            const auto end = diff.find('\n', start);
            fmt::print("       {}\n", std::string_view(diff).substr(start, end - start));
            start = end + 1;
        }
    }
    if (steps.empty())
        say(context, "Nothing to do.");
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
        print_plan(context, left, observed);
        return false;
    }
    TRY(apply_steps(box, left, [&](const Step& step, bool undo) {
        if (context.options.verbose)
            say(context, fmt::format("{}{}", undo ? "Undoing: " : "", describe(step)));
    }));
    return !left.empty();
}

void say(const Context&, const std::string& line) {
    fmt::print(stderr, "{}\n", line);
}

void print_json(const Context& context, const nlohmann::ordered_json& json) {
    fmt::print("{}\n", json.dump(context.options.json == JsonMode::pretty ? 8 : -1, ' ', false,
                                 nlohmann::json::error_handler_t::replace));
}

} // namespace tenantctl
