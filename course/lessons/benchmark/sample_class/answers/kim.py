report_d = {"fault": "nothing_wrong", "repaired": 44.0}
report_f = {"fault": "warmup_in_window", "repaired": 1249.8}
