verdicts = {
    "A": {"fault": "first_token_in_itl", "repaired": 36.57},
    "B": {"fault": "gb_for_gib", "repaired": 50850},
    "C": {"fault": "honest", "repaired": 1249.8},
    "D": {"fault": "no_synchronisation", "repaired": 673.03
}
