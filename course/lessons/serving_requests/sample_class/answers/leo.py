traffic_choice = {"chunk": 8192, "slots": 32, "goodput_rps": 0.6117, "tpot_factor": 8.53}
