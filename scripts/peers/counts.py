"""What a program has to do at least: products of dots and convolutions, and bytes that it must read and write."""

from itertools import product

# Of these a program reads what it takes, not all of the first operand.
PARTS = ("stablehlo.gather", "stablehlo.dynamic_slice", "stablehlo.slice")


def pairs(size, taps, outputs, stride=1, low=0, dilation=(1, 1)):
    """How many pairs of an output and a tap have an element of the input, in one dimension: not padding, nor a place
    between dilated elements.

    >>> pairs(8, 3, 6), pairs(8, 3, 8, low=1), pairs(7, 3, 4, stride=2, low=1), pairs(4, 3, 7, low=1, dilation=(2, 1))
    (18, 22, 10, 10)
    """
    apart, spread = dilation
    last = (size - 1) * apart
    places = (o * stride + t * spread - low for o, t in product(range(outputs), range(taps)))
    return sum(0 <= place <= last and place % apart == 0 for place in places)


def counts(ir, stablehlo, module, entry, functions):
    """`flops` by the element type of products, `read`: bytes of arguments and constants, `written`: of results."""
    flops = _flops(ir, stablehlo, entry.operation, functions)
    given = list(entry.entry_block.arguments) + list(_constants(ir, module.operation))
    read = sum(min(_size(ir, v.type), _taken(ir, v, functions)) for v in given)
    return {"flops": flops, "read": read, "written": sum(_size(ir, t) for t in entry.type.results)}


def _size(ir, tensor):
    tensor = ir.RankedTensorType(tensor)
    element = str(tensor.element_type)
    if element.startswith("complex"):
        bits = 128 if "64" in element else 64
    elif element.startswith("f8"):
        bits = 8
    else:
        bits = int(element.lstrip("abcdefghijklmnopqrstuvwxyz").split("E")[0] or 0)
    return _product(tensor.shape) * max(bits, 8) // 8 if bits != 4 else -(-_product(tensor.shape) // 2)


def _taken(ir, value, functions):
    """Bytes of an array that a program takes: all, unless each use takes parts."""
    taken = 0
    for use in value.uses:
        op, position = use.owner, use.operand_number
        op = op.operation if hasattr(op, "operation") else op
        if op.name in PARTS and position == 0:
            taken += _size(ir, op.results[0].type)
        elif op.name == "func.call":
            callee = functions[ir.FlatSymbolRefAttr(op.attributes["callee"]).value]
            taken += _taken(ir, callee.entry_block.arguments[position], functions)
        else:
            return _size(ir, value.type)
    return taken


def _constants(ir, operation):
    """Those that are not one number."""
    for op in (op.operation for region in operation.regions for block in region for op in block):
        if op.name == "stablehlo.constant":
            told = op.attributes["value"]
            if not (isinstance(told, ir.DenseElementsAttr) and told.is_splat):
                yield op.results[0]
        yield from _constants(ir, op)


def _flops(ir, stablehlo, operation, functions):
    total = {}

    def add(counted, times=1):
        for element, flops in counted.items():
            total[element] = total.get(element, 0.0) + times * flops

    for op in (op.operation for region in operation.regions for block in region for op in block):
        types = [v.type for v in op.operands if isinstance(v.type, ir.RankedTensorType)]
        shapes = [ir.RankedTensorType(t).shape for t in types]
        if op.name == "stablehlo.dot_general":
            dims = stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
            terms = _product(shapes[0][d] for d in dims.lhs_contracting_dimensions)
            found = 2.0 * terms * _product(ir.RankedTensorType(op.results[0].type).shape)
            add({str(ir.RankedTensorType(types[0]).element_type): found})
        elif op.name == "stablehlo.convolution":
            found = _convolution(stablehlo, op, shapes, ir.RankedTensorType(op.results[0].type).shape)
            add({str(ir.RankedTensorType(types[0]).element_type): found})
        elif op.name == "func.call":
            callee = functions[ir.FlatSymbolRefAttr(op.attributes["callee"]).value].operation
            add(_flops(ir, stablehlo, callee, functions))
        add(_flops(ir, stablehlo, op, functions), _rounds(ir, op))
    return total


def _convolution(stablehlo, op, shapes, result):
    dims = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
    rank = len(dims.input_spatial_dimensions)

    def numbers(name, count, otherwise):
        return [int(n) for n in op.attributes[name]] if name in op.attributes else [otherwise] * count

    strides, padding = numbers("window_strides", rank, 1), numbers("padding", 2 * rank, 0)
    apart, spread = numbers("lhs_dilation", rank, 1), numbers("rhs_dilation", rank, 1)
    total = 2.0 * shapes[1][dims.kernel_input_feature_dimension]
    total *= result[dims.output_batch_dimension] * result[dims.output_feature_dimension]
    for i in range(rank):
        size = shapes[0][dims.input_spatial_dimensions[i]]
        taps = shapes[1][dims.kernel_spatial_dimensions[i]]
        outputs = result[dims.output_spatial_dimensions[i]]
        total *= pairs(size, taps, outputs, strides[i], padding[2 * i], (apart[i], spread[i]))
    return total


def _rounds(ir, op):
    """Of a loop as `lax.scan` makes it, which counts from a constant to another one; 1 of everything else."""
    if op.name != "stablehlo.while":
        return 1
    block = op.regions[0].blocks[0]
    compared = [o.operation for o in block if o.operation.name == "stablehlo.compare"]
    if len(compared) != 1 or "LT" not in str(compared[0].attributes["comparison_direction"]):
        return 1
    counter = next((i for i, a in enumerate(block.arguments) if a == compared[0].operands[0]), None)
    if counter is None:
        return 1
    first, last = _number(ir, op.operands[counter]), _number(ir, compared[0].operands[1])
    return max(last - first, 1) if first is not None and last is not None else 1


def _number(ir, value):
    """What a scalar constant is; None for anything else."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "stablehlo.constant" or ir.RankedTensorType(value.type).shape:
        return None
    told = owner.attributes["value"]
    return int(told.get_splat_value()) if isinstance(told, ir.DenseIntElementsAttr) else None


def _product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result
