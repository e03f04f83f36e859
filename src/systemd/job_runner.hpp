// Queueing a job with systemd and waiting for its end.
#pragma once

#include "systemd/bus.hpp"
#include "systemd/jobs.hpp"

#include <optional>
#include <string>

namespace tenantctl {

// A job to queue: the method that does it and what it is about.
struct JobRequest {
    JobKind kind;
    std::string unit;
    const char* member;
    Bus::Arguments arguments;
};

// Why a job did not do what was asked.
struct JobFailure {
    std::string cause;
    std::string error_name; // of D-Bus, when the job could not even be queued
    bool overdue = false;   // the job goes on
};

// Runs one job at a time on a connection whose JobRemoved signals are given to removed().
class JobRunner {
public:
    explicit JobRunner(Bus& bus) : bus_(bus) {}

    // Nothing when the job succeeded.
    std::optional<JobFailure> run(const JobRequest& request, UnitManager::Timeout timeout);

    void removed(std::string_view path, std::string_view result) {
        if (watched_ != nullptr)
            watched_->removed(path, result);
    }

private:
    // `lost`: the job is gone and its end was not seen.
    enum class Wait { ended, overdue, lost };

    Wait wait_for(const JobWatch& job, Bus::Clock::time_point deadline);
    bool is_gone(const JobWatch& job, Bus::Clock::time_point deadline);

    Bus& bus_;
    JobWatch* watched_ = nullptr;
};

} // namespace tenantctl
