def prefix_hits(requests, capacity_blocks):
    hits = 0
    for blocks in requests
        hits += len(blocks)
    return hits
