"""jax2onnx writes each `dot_general` as an `Einsum`, for which ONNX Runtime lays out constant operands in every call.

Those that are a `MatMul` between transpositions become that, as exporters of other frameworks write them. The
transposition of a constant is done when the model is loaded.
"""


def as_matmul(equation):
    """The orders of dimensions of both operands for a MatMul, and that of its result; None where it is not one.

    >>> as_matmul("abc,cd->abd")
    ([0, 1, 2], [0, 1], [0, 1, 2])
    >>> as_matmul("btd,vd->btv"), as_matmul("bhqd,bhkd->bhqk")
    (([0, 1, 2], [1, 0], [0, 1, 2]), ([0, 1, 2, 3], [0, 1, 3, 2], [0, 1, 2, 3]))
    >>> as_matmul("kba,kc->cab")
    ([2, 1, 0], [0, 1], [2, 0, 1])
    >>> [as_matmul(e) for e in ("abc,dbc->ad", "a,b->ab", "ab,bc,cd->ad", "aab,bc->ac", "ab,bc->c", "...a,ab->...b")]
    [None, None, None, None, None, None]
    """
    sides = equation.replace(" ", "").split("->")
    if len(sides) != 2 or sides[0].count(",") != 1 or "." in equation:
        return None
    (left, right), out = sides[0].split(","), sides[1]
    if any(len(set(letters)) != len(letters) for letters in (left, right, out)):
        return None
    batch = [c for c in out if c in left and c in right]
    rows = [c for c in out if c in left and c not in right]
    columns = [c for c in out if c in right and c not in left]
    summed = [c for c in left if c in right and c not in out]
    if sorted(batch + rows + summed) != sorted(left) or sorted(batch + columns + summed) != sorted(right):
        return None
    if len(summed) != 1 or len(columns) != 1 or not rows or (batch and len(rows) != 1):
        return None
    made = [*batch, *rows, *columns]
    return (
        [left.index(c) for c in [*batch, *rows, *summed]],
        [right.index(c) for c in [*batch, *summed, *columns]],
        [made.index(c) for c in out],
    )


def replaced(graph, helper):
    """The nodes of a graph, with its Einsums as MatMuls; graphs inside of nodes are changed, too."""
    nodes = []

    def transposed(name, order, made):
        if order == sorted(order):
            return name
        nodes.append(helper.make_node("Transpose", [name], [made], perm=order))
        return made

    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                replace(attribute.g, helper)
        told = {a.name: a.s.decode() for a in node.attribute if a.name == "equation"}
        orders = as_matmul(told["equation"]) if node.op_type == "Einsum" and len(node.input) == 2 else None
        if orders is None:
            nodes.append(node)
            continue
        left, right, out = orders
        [result] = node.output
        names = [transposed(n, o, f"{result}_{i}") for i, (n, o) in enumerate(zip(node.input, (left, right), strict=True))]
        plain = out == sorted(out)
        nodes.append(helper.make_node("MatMul", names, [result if plain else f"{result}_product"]))
        if not plain:
            nodes.append(helper.make_node("Transpose", [f"{result}_product"], [result], perm=out))
    return nodes


def replace(graph, helper):
    nodes = replaced(graph, helper)
    del graph.node[:]
    graph.node.extend(nodes)
