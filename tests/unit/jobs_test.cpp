#include "fake_unit_manager.hpp"
#include "systemd/jobs.hpp"

#include <doctest/doctest.h>

using namespace tenantctl;

namespace {

UnitState state_of(std::string active, std::string sub, std::string result) {
    UnitState state;
    state.load_state = "loaded";
    state.active_state = std::move(active);
    state.sub_state = std::move(sub);
    state.result = std::move(result);
    return state;
}

} // namespace

TEST_CASE("a job's end is seen when it is signalled after the job was queued") {
    JobWatch job;
    job.queued("/job/7");
    CHECK_FALSE(job.result());
    job.removed("/job/7", "done");
    CHECK(job.result() == "done");
}

TEST_CASE("a job's end is seen when it is signalled before the job's path is known") {
    JobWatch job;
    job.removed("/job/6", "failed");
    job.removed("/job/7", "done");
    job.queued("/job/7");
    CHECK(job.result() == "done");
}

TEST_CASE("other jobs' ends are not taken for the job's own, whenever they come") {
    JobWatch job;
    job.removed("/job/6", "failed");
    job.queued("/job/7");
    job.removed("/job/8", "done");
    job.removed("/job/77", "done");
    CHECK_FALSE(job.result());
}

TEST_CASE("only done and skipped count as success") {
    CHECK(job_succeeded("done"));
    CHECK(job_succeeded("skipped"));
    for (const char* result : {"failed", "timeout", "canceled", "dependency", "assert", "invalid",
                               "unsupported", "once", "frozen", "collected", ""})
        CHECK_FALSE(job_succeeded(result));
}

TEST_CASE("without the job's end, the unit's state tells whether its goal is reached") {
    CHECK(job_goal_reached(JobKind::start, state_of("active", "running", "success")));
    CHECK(job_goal_reached(JobKind::reload, state_of("reloading", "reload", "success")));
    CHECK_FALSE(job_goal_reached(JobKind::start, state_of("activating", "auto-restart", "signal")));
    CHECK_FALSE(job_goal_reached(JobKind::restart, state_of("failed", "failed", "exit-code")));
    CHECK_FALSE(job_goal_reached(JobKind::start, state_of("inactive", "dead", "success")));
    CHECK(job_goal_reached(JobKind::stop, state_of("inactive", "dead", "success")));
    CHECK(job_goal_reached(JobKind::stop, state_of("failed", "failed", "timeout")));
    CHECK_FALSE(job_goal_reached(JobKind::stop, state_of("deactivating", "stop-sigterm", "")));
}

TEST_CASE("a failed job's text names systemd's result, the status and the journal") {
    UnitState state = state_of("failed", "failed", "exit-code");
    state.exit_status = 78;
    CHECK(job_failure_text("a.service", "failed", state) ==
          "failed (result: exit-code, status 78); see journalctl -u a.service");
    // The main process never ran: a helper before it failed.
    state.exit_status = 0;
    CHECK(job_failure_text("a.service", "failed", state) ==
          "failed (result: exit-code); see journalctl -u a.service");
    CHECK(job_failure_text("a.service", "failed", std::nullopt) ==
          "failed; see journalctl -u a.service");
}

TEST_CASE("an overdue job's text says where the unit is stuck") {
    CHECK(job_overdue_text("a.service", state_of("activating", "start-pre", "success")) ==
          "job timed out (the unit is activating, start-pre); see journalctl -u a.service");
    CHECK(job_overdue_text("a.service", std::nullopt) ==
          "job timed out; see journalctl -u a.service");
}

TEST_CASE("a job whose end was not seen is judged by what the unit says of itself") {
    CHECK(job_lost_text("a.service", state_of("failed", "failed", "signal")) ==
          "failed (result: signal); see journalctl -u a.service");
    CHECK(
        job_lost_text("a.service", state_of("inactive", "dead", "success")) ==
        "systemd executed itself anew meanwhile and the job is gone (the unit is inactive, dead); "
        "see journalctl -u a.service");
}

TEST_CASE("a failed dependency and an unmet assertion name the command that shows them") {
    CHECK(job_failure_text("a.socket", "dependency", std::nullopt) ==
          "a unit that it needs did not start; see systemctl list-dependencies a.socket");
    CHECK(job_failure_text("a.service", "assert", std::nullopt) ==
          "an assertion of the unit does not hold; see systemctl status a.service");
}

TEST_CASE("the fake records changing calls and fails the one that it was told to") {
    fake::FakeUnitManager units;
    units.fail_call(2, "job timed out");
    units.fail("stop a.socket", "it is stuck");
    CHECK(units.start("a.socket", UnitManager::job_timeout));
    const auto second = units.start("b.socket", UnitManager::job_timeout);
    REQUIRE_FALSE(second);
    CHECK(second.error().message == "Failed to start b.socket: job timed out");
    CHECK_FALSE(units.stop("a.socket", UnitManager::job_timeout));
    CHECK(units.calls ==
          std::vector<std::string>{"start a.socket", "start b.socket", "stop a.socket"});
    CHECK(units.units.at("a.socket").sub_state == "listening");
    CHECK_FALSE(units.units.contains("b.socket"));
}
