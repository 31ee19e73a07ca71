def measure_three_ways(machine, tolerance, warmup, samples):
    device = queues.opened(machine)
    times = {"submit_us": [], "synchronized_us": [], "event_us": []}
    for turn in range(1 + warmup + samples):
        device.synchronize()
        start = device.now_us()
        output = device.step()
        returned = device.now_us()
        device.synchronize()
        done = device.now_us()
        if turn == 0:
            cold_us = done - start
            off = max(x - y for x, y in zip(device.read(output), device.reference))
            if off > tolerance:
                raise ValueError(f"off by {off}")
        elif turn > warmup:
            times["submit_us"].append(returned - start)
            times["synchronized_us"].append(done - start)
    for _ in range(samples):
        before = device.event()
        device.step()
        after = device.event()
        device.synchronize()
        times["event_us"].append(device.between_us(before, after))
    return {"cold_us": cold_us, "max_difference": off, **times}
