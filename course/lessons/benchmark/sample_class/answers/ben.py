def measure_three_ways(machine, tolerance, warmup, samples):
    device = queues.opened(machine)
    times = {"submit_us": [], "synchronized_us": [], "event_us": []}
    device.synchronize()
    start = device.now_us()
    output = device.step()
    device.synchronize()
    cold_us = device.now_us() - start
    off = max(abs(x - y) for x, y in zip(device.read(output), device.reference))
    if off > tolerance:
        raise ValueError(f"off by {off}")
    for _ in range(warmup):
        device.step()
    for _ in range(samples):
        device.synchronize()
        start = device.now_us()
        device.step()
        times["submit_us"].append(device.now_us() - start)
        # the same again, it waits for the device by itself
        device.synchronize()
        start = device.now_us()
        device.step()
        times["synchronized_us"].append(device.now_us() - start)
        device.synchronize()
        before = device.event()
        device.step()
        after = device.event()
        device.synchronize()
        times["event_us"].append(device.between_us(before, after))
    return {"cold_us": cold_us, "max_difference": off, **times}
