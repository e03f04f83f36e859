#include "systemd/job_runner.hpp"

#include "systemd/unit_query.hpp"

#include <algorithm>
#include <charconv>

namespace tenantctl {

namespace {

// How often a job is asked for besides waiting for its signal. Signals are lost only with the
// connection; this is for the end of a job that fell between two connections.
constexpr auto poll_interval = std::chrono::seconds(5);

std::optional<UnitState> state_if_possible(Bus& bus, const std::string& unit) {
    auto state = query_state(bus, unit);
    if (!state)
        return std::nullopt;
    return std::move(state).value();
}

// Jobs are asked for by number, since the path of one that is gone is just an unknown object.
std::uint32_t job_id(const std::string& path) {
    std::uint32_t id = 0;
    const std::size_t digits = path.rfind('/') + 1;
    std::from_chars(path.data() + digits, path.data() + path.size(), id);
    return id;
}

} // namespace

std::optional<JobFailure> JobRunner::run(const JobRequest& request, UnitManager::Timeout timeout) {
    const auto deadline = Bus::Clock::now() + timeout;
    JobWatch job;
    watched_ = &job;
    struct Unwatch {
        JobWatch*& watched;
        ~Unwatch() { watched = nullptr; }
    } const unwatch{watched_};

    const BusReply reply = bus_.call({request.member}, request.arguments, deadline);
    if (!reply)
        return JobFailure{fault_text(reply.fault), reply.fault.name};
    const char* path = nullptr;
    if (sd_bus_message_read(reply.message.get(), "o", &path) < 0)
        return JobFailure{"cannot read systemd's answer", {}};
    job.queued(path);

    const Wait end = wait_for(job, deadline);
    if (end == Wait::ended && job_succeeded(*job.result()))
        return std::nullopt;
    const auto state = state_if_possible(bus_, request.unit);
    if (end == Wait::ended)
        return JobFailure{job_failure_text(request.unit, *job.result(), state), {}};
    if (end == Wait::overdue)
        return JobFailure{job_overdue_text(request.unit, state), {}, true};
    if (state && job_goal_reached(request.kind, *state))
        return std::nullopt;
    return JobFailure{job_lost_text(request.unit, state), {}};
}

JobRunner::Wait JobRunner::wait_for(const JobWatch& job, Bus::Clock::time_point deadline) {
    auto next_poll = Bus::Clock::now() + poll_interval;
    while (!job.result()) {
        const bool connected = bus_.dispatch(std::min(deadline, next_poll));
        const auto now = Bus::Clock::now();
        if (job.result())
            break;
        if (now >= deadline)
            return Wait::overdue;
        if (connected && now < next_poll)
            continue;
        next_poll = now + poll_interval;
        if (!is_gone(job, deadline))
            continue;
        // Its signal, if there was one, came before the answer and waits to be dispatched.
        bus_.dispatch(now);
        if (!job.result())
            return Wait::lost;
    }
    return Wait::ended;
}

bool JobRunner::is_gone(const JobWatch& job, Bus::Clock::time_point deadline) {
    const std::uint32_t id = job_id(job.path());
    const auto arguments = [id](sd_bus_message* call) {
        return sd_bus_message_append(call, "u", id);
    };
    const BusReply reply = bus_.call({"GetJob"}, arguments, deadline);
    return !reply && reply.fault.is("org.freedesktop.systemd1.NoSuchJob");
}

} // namespace tenantctl
