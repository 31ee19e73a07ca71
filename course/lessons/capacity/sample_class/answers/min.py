cap_slips = {
    "a": "query_heads",
    "b": "query_heads",
    "c": "layers",
    "d": "keys",
    "factor_a": 4.0,
    "factor_b": 8.0,
    "factor_c": 28.0,
    "factor_d": 1.0737,
}
