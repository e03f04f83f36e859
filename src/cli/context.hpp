// What every verb works with.
#pragma once

#include "apply/box.hpp"
#include "cli/options.hpp"
#include "render/views.hpp"
#include "tenant/step.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tenantctl {

// What --dry-run found that a command would do, over all tenants and sites that it is about: one
// list, or one JSON document, whatever they are in number.
struct DryRun {
    struct Row {
        std::string step;
        std::string diff;
    };
    std::vector<Row> rows;
    bool planned = false; // by run_steps; a verb that only looks has nothing to print here
};

struct Context {
    GlobalOptions options;
    Paths paths;
    std::unique_ptr<UnitManager> units;
    Style style;
    std::unique_ptr<DryRun> dry_run = std::make_unique<DryRun>();
};

// The box as the context sees it, with the web server's user looked up.
Result<Box> box_of(const Context& context);

// Leaves out what is done already, then notes the rest (--dry-run) or carries it out. True when
// something was changed.
Result<bool> run_steps(const Context& context, const Box& box, const Steps& steps);

// Prints what run_steps noted, if it was called for a dry run.
void print_dry_run(const Context& context);

// A line for people, on standard error.
void say(const Context& context, const std::string& line);

// Standard output, in the mode of --json=.
void print_json(const Context& context, const nlohmann::ordered_json& json);

Result<void> run(const Context& context, const AddTenant& command);
Result<void> run(const Context& context, const AddSite& command);
Result<void> run(const Context& context, const RemoveSite& command);
Result<void> run(const Context& context, const RemoveTenant& command);
Result<void> run(const Context& context, const Apply& command);
Result<void> run(const Context& context, const List& command);
Result<void> run(const Context& context, const Status& command);
Result<void> run(const Context& context, const Show& command);

} // namespace tenantctl
