// The bookkeeping of systemd's jobs: which ended how, and what that means for a person. Pure.
#pragma once

#include "systemd/unit_manager.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tenantctl {

enum class JobKind { start, stop, restart, reload };

// "start", as in "Failed to start UNIT".
std::string_view job_verb(JobKind kind);

// One job from before it is queued until its end. It must exist before the job is queued: PID 1
// may finish a job and signal its end before the reply with the job's path is read, so the ends of
// paths that are not known yet are kept.
class JobWatch {
public:
    // The end of any job was signalled.
    void removed(std::string_view path, std::string_view result);
    // The job that was queued; its end may have been signalled already.
    void queued(std::string path);

    const std::string& path() const { return path_; }
    // systemd's word for how it ended (done, failed, timeout, ...), once it has.
    const std::optional<std::string>& result() const { return result_; }

private:
    std::string path_;
    std::optional<std::string> result_;
    std::map<std::string, std::string, std::less<>> ended_before_queued_;
};

// True when a job that ended with this result has done what was asked.
bool job_succeeded(std::string_view result);

// Whether the unit is where a job of this kind leads to: what is left to go by when the end of the
// job was never seen, since PID 1 executed itself anew meanwhile. In doubt it is not: a oneshot
// that is inactive may have run well or never.
bool job_goal_reached(JobKind kind, const UnitState& state);

// Why a job failed, with the remedy where there is one: "failed (result: exit-code, status 78);
// see journalctl -u UNIT".
std::string job_failure_text(std::string_view unit, std::string_view result,
                             const std::optional<UnitState>& state);

// The same for a job that has not ended by the deadline.
std::string job_overdue_text(std::string_view unit, const std::optional<UnitState>& state);

// The same for a job whose end was not seen and whose goal is not reached.
std::string job_lost_text(std::string_view unit, const std::optional<UnitState>& state);

} // namespace tenantctl
