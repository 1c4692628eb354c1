"""Random kernels that stage tiles through shared memory, most of them right, as sources: source(rng, name) -> (text, block)."""

WHERE = [("i", "{s} + q"), ("{s} + r", "j"), ("g", "h"), ("i", "j"), ("{s} + q", "i"), ("u", "v")]
PRODUCT = [("i", "{s} + q"), ("{s} + r", "j")]
TURNED = [("g", "h"), ("i", "j"), ("u", "v")]


def fill(rng, tile, at, tensor, row, col):
    """Stores an element of the tensor to the tile, under a condition of some kind."""
    inside = f"{row} < {tensor}.shape[0] and {col} < {tensor}.shape[1]"
    value = f"{tensor}[{row}, {col}]" + rng.choice(["", "", "", " * 2 + 1"])
    kind = rng.randrange(4)
    if kind == 0:
        return [f"{tile}[{at}] = {value} if {inside} else {rng.choice(['0.0', '0.0', '1.0'])}"]
    if kind == 1:
        return [f"if {inside}:", f"    {tile}[{at}] = {value}", "else:", f"    {tile}[{at}] = 0.0"]
    if kind == 2:
        return [f"if {inside}:", f"    {tile}[{at}] = {value}"]
    return [f"{tile}[{at}] = {value} if {inside} else 0.0"]


def subscript(rng, extent, w, h, inner):
    choices = [str(rng.randrange(extent))] + ["b"] * 4 * inner
    choices += ["r"] * 3 + [f"{h - 1} - r"] if h <= extent else []
    choices += ["q"] * 3 + [f"{w - 1} - q"] if w <= extent else []
    return rng.choice(choices)


def source(rng, name):
    kind = rng.choice(["any", "product", "turned"])
    w, h = rng.choice([2, 4, 8]), rng.choice([2, 4, 8])
    if kind != "any" or rng.random() < 0.6:
        h = w
    turned = rng.random() < 0.5
    shape = (w, h) if turned else (h, w)
    count = {"any": rng.randint(1, 2), "product": 2, "turned": 1}[kind]
    loop = kind == "product" or (kind == "any" and rng.random() < 0.6)
    inner = kind == "product" or (kind == "any" and rng.random() < 0.7)
    step, start = rng.choice([w, h]), "0"
    head = [f"t{t} = pyasc.shared(({shape[0] + rng.randint(0, 1)}, {shape[1] + rng.randint(0, 2)}))" for t in range(count)]
    head += ["r, q = pyasc.get_local_id(1), pyasc.get_local_id(0)", "i, j = pyasc.get_global_id(1), pyasc.get_global_id(0)",
             f"g, h = pyasc.get_group_id(1) * {h} + r, pyasc.get_group_id(0) * {w} + q",
             f"u, v = pyasc.get_group_id(0) * {h} + r, pyasc.get_group_id(1) * {w} + q", "s = 0.0"]
    body = ["pyasc.syncthreads()"] if loop and rng.random() < 0.2 else []
    if loop:
        steps = rng.random() < 0.5
        head += [f"for a in range(0, d, {step}):" if steps else f"for a in range((d + {step - 1}) // {step}):"]
        start = "a" if steps else f"a * {step}"
    usual = rng.random() < 0.9
    for t in range(count):
        places = WHERE if kind == "any" or not usual else TURNED if kind == "turned" else [PRODUCT[t]]
        row, col = (p.format(s=start) for p in rng.choice(places))
        body += fill(rng, f"t{t}", "q, r" if turned else "r, q", "xz"[t] if kind == "product" else rng.choice("xz"), row, col)
    body += ["pyasc.syncthreads()"] if rng.random() < 0.95 else []
    terms = [f"t{t}[{subscript(rng, shape[0], w, h, inner)}, {subscript(rng, shape[1], w, h, inner)}]" for t in range(count)]
    if kind == "product" and usual:
        terms = ["t0[b, r]", "t1[q, b]"] if turned else ["t0[r, b]", "t1[b, q]"]
    body += [f"for b in range({min(*shape, *([step] if loop else []))}):"] if inner else []
    body += ["    " * inner + "s += " + " * ".join(terms)]
    body += ["pyasc.syncthreads()"] if loop and rng.random() < 0.95 else []
    row, col = rng.choice(TURNED)
    tail = [f"if {row} < y.shape[0] and {col} < y.shape[1]:", f"    y[{row}, {col}] {rng.choice(['', '', '+'])}= s"]
    lines = head + ["    " * loop + line for line in body] + tail
    return f"def {name}(x, z, y, d):\n" + "\n".join("    " + line for line in lines) + "\n", (w, h)
