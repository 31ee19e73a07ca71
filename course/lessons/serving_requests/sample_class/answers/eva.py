def prefix_hits(requests, capacity_blocks):
    if capacity_blocks < 0:
        raise ValueError("capacity_blocks")
    cache, hits = OrderedDict(), 0
    for blocks in requests:
        row = 0
        while row < len(blocks) and blocks[row] in cache:
            row += 1
        hits += row
        for block in blocks:
            if block not in cache:
                cache[block] = 1
                while len(cache) > capacity_blocks:
                    cache.popitem(last=False)
    total = sum(len(blocks) for blocks in requests)
    return dict(hit_blocks=hits, blocks=total, hit_ratio=hits / total if total else 0.0)
