def measure_three_ways(machine, tolerance, warmup, samples):
    device = queues.opened(machine)

    def wall(step_only):
        device.synchronize()
        start = device.now_us()
        output = device.step()
        if not step_only:
            device.synchronize()
        return device.now_us() - start, output

    cold, output = wall(step_only=False)
    differences = [abs(a - b) for a, b in zip(device.read(output), device.reference)]
    if max(differences) > tolerance:
        raise ValueError("结果不对")
    submit_us, synchronized_us, event_us = [], [], []
    for _ in range(samples):
        submit_us.append(wall(step_only=True)[0])
        synchronized_us.append(wall(step_only=False)[0])
        device.synchronize()
        first = device.event()
        device.step()
        second = device.event()
        device.synchronize()
        event_us.append(device.between_us(first, second))
    return {
        "cold_us": cold,
        "max_difference": max(differences),
        "submit_us": submit_us,
        "synchronized_us": synchronized_us,
        "event_us": event_us,
    }
