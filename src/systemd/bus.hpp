// The connection to PID 1: what of sd-bus is owned, its deadlines, and its loss and return.
#pragma once

#include "base/result.hpp"

#include <systemd/sd-bus.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tenantctl {

struct MessageUnref {
    void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using MessagePtr = std::unique_ptr<sd_bus_message, MessageUnref>;

// Why a call has no reply.
struct BusFault {
    int error_number = 0; // positive errno
    std::string name;     // D-Bus error name
    std::string text;     // what systemd said of it

    bool is(std::string_view error_name) const { return name == error_name; }
    // True when the connection broke, so that nobody knows whether the call was carried out.
    bool lost() const;
};

// A method's reply, or why there is none.
struct BusReply {
    MessagePtr message;
    BusFault fault;
    explicit operator bool() const { return message != nullptr; }
};

// A method of one of systemd's objects.
struct BusMethod {
    const char* member;
    const char* interface = "org.freedesktop.systemd1.Manager";
    std::string object = "/org/freedesktop/systemd1";
};

// Connects when it is first used, and again after PID 1 executed itself anew (daemon-reexec drops
// its private connections).
class Bus {
public:
    using Clock = std::chrono::steady_clock;
    // Puts the arguments into a call; negative errno on failure. Runs again for a second attempt.
    using Arguments = std::function<int(sd_bus_message*)>;
    // A job left systemd's queue: its object path and its result.
    using JobRemoved = std::function<void(std::string_view path, std::string_view result)>;

    explicit Bus(JobRemoved on_job_removed) : on_job_removed_(std::move(on_job_removed)) {}
    Bus(const Bus&) = delete;
    Bus& operator=(const Bus&) = delete;

    // Calls the method and waits for the reply until the deadline. A call that is lost with the
    // connection is made once more on a new one, so the method has to bear being called twice.
    BusReply call(const BusMethod& method, const Arguments& arguments, Clock::time_point deadline);

    // Dispatches the signals that are there, or waits for one until the deadline. False once the
    // connection is lost; the next call makes a new one.
    bool dispatch(Clock::time_point deadline);

private:
    struct BusClose {
        void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
    };

    // The fault's error_number is 0 when there is a connection.
    BusFault connect(Clock::time_point deadline);
    BusFault connect_once(Clock::time_point deadline);
    BusReply call_once(const BusMethod& method, const Arguments& arguments,
                       Clock::time_point deadline);
    static int job_removed(sd_bus_message* message, void* bus, sd_bus_error* error);

    JobRemoved on_job_removed_;
    std::unique_ptr<sd_bus, BusClose> bus_;
    bool connected_before_ = false;
};

// The whole cause for a message: "no such unit", "systemd did not answer in time; ...".
std::string fault_text(const BusFault& fault);

} // namespace tenantctl
