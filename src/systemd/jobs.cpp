#include "systemd/jobs.hpp"

namespace tenantctl {

namespace {

std::string see_journal(std::string_view unit) {
    return "; see journalctl -u " + std::string(unit);
}

std::string whereabouts(const std::optional<UnitState>& state) {
    if (!state)
        return {};
    return " (the unit is " + state->active_state + ", " + state->sub_state + ")";
}

std::string failed_text(std::string_view unit, const std::optional<UnitState>& state) {
    std::string text = "failed";
    if (state && !state->result.empty() && state->result != "success") {
        text += " (result: " + state->result;
        // The main process may have ended well, or never have begun, when a helper of it failed.
        if (state->result == "exit-code" && state->exit_status != 0)
            text += ", status " + std::to_string(state->exit_status);
        text += ")";
    }
    return text + see_journal(unit);
}

} // namespace

std::string_view job_verb(JobKind kind) {
    switch (kind) {
    case JobKind::start:
        return "start";
    case JobKind::stop:
        return "stop";
    case JobKind::restart:
        return "restart";
    case JobKind::reload:
        break;
    }
    return "reload";
}

void JobWatch::removed(std::string_view path, std::string_view result) {
    if (path_.empty())
        ended_before_queued_.insert_or_assign(std::string(path), std::string(result));
    else if (path == path_)
        result_ = result;
}

void JobWatch::queued(std::string path) {
    path_ = std::move(path);
    const auto ended = ended_before_queued_.find(path_);
    if (ended != ended_before_queued_.end())
        result_ = ended->second;
    ended_before_queued_.clear();
}

bool job_succeeded(std::string_view result) {
    // "skipped": there was nothing to do, as for a reload of what is not running.
    return result == "done" || result == "skipped";
}

bool job_goal_reached(JobKind kind, const UnitState& state) {
    if (kind == JobKind::stop)
        return state.active_state == "inactive" || state.active_state == "failed";
    return state.active_state == "active" || state.active_state == "reloading";
}

std::string job_failure_text(std::string_view unit, std::string_view result,
                             const std::optional<UnitState>& state) {
    const std::string name(unit);
    if (result == "failed")
        return failed_text(unit, state);
    if (result == "timeout")
        return "job timed out" + see_journal(unit);
    if (result == "dependency")
        return "a unit that it needs did not start; see systemctl list-dependencies " + name;
    if (result == "canceled")
        return "the job was cancelled by another one; see systemctl list-jobs and try again";
    if (result == "assert")
        return "an assertion of the unit does not hold; see systemctl status " + name;
    if (result == "invalid")
        return "the unit cannot do that; see systemctl status " + name;
    if (result == "unsupported")
        return "this machine does not support units of this type";
    if (result == "once")
        return "the unit can be started only once in a boot";
    if (result == "frozen")
        return "the unit is frozen; see systemctl thaw " + name;
    return "job ended with the result " + std::string(result) + see_journal(unit);
}

std::string job_overdue_text(std::string_view unit, const std::optional<UnitState>& state) {
    return "job timed out" + whereabouts(state) + see_journal(unit);
}

std::string job_lost_text(std::string_view unit, const std::optional<UnitState>& state) {
    if (state && state->active_state == "failed")
        return failed_text(unit, state);
    return "systemd executed itself anew meanwhile and the job is gone" + whereabouts(state) +
           see_journal(unit);
}

} // namespace tenantctl
