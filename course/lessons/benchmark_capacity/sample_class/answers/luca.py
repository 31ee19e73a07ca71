data = {name: recorded.exhibit(name).rows for name in recorded.exhibits()}
verdicts = {
    "A": {"fault": "first_token_in_itl", "repaired": 36.57},
    "B": {"fault": "gb_for_gib", "repaired": 50850},
    "C": {"fault": "warmup_inside_window", "repaired": 1351.0},
    "D": {"fault": "no_synchronisation", "repaired": 673.03},
    "E": {"fault": "failed_requests_dropped", "repaired": 0.24},
    "F": {"fault": "honest", "repaired": 1000.0},
    "G": {"fault": "wrong_peak_bandwidth", "repaired": 0.25586},
    "H": {"fault": "warmup_inside_window", "repaired": 3675.2},
    "I": {"fault": "prefix_cache_hit", "repaired": 86.15},
}
