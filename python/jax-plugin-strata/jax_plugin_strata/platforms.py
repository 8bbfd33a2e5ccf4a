"""What is for "cpu" is also for Strata, which computes on the processor, unless there is something for Strata itself: branches of
`jax.lax.platform_dependent`, functions of `jax.export`, and lowerings of operations that have none for all platforms."""

import dataclasses


class Rules(dict):
    """The lowerings for Strata alone, with those for "cpu" of operations that could not be lowered otherwise."""

    def __init__(self, rules, common, cpu):
        super().__init__(rules)
        self.common, self.cpu = common, cpu

    def __contains__(self, primitive):
        return super().__contains__(primitive) or (primitive not in self.common and primitive in self.cpu)

    def __missing__(self, primitive):
        return self.cpu[primitive]


def register(platform):
    from jax._src.export import _export
    from jax._src.interpreters import mlir
    from jax._src.lax.control_flow import conditionals

    def chosen(platforms):
        """The branches' platforms, with Strata beside the processor."""
        named = [names for names in platforms if names is not None]
        if any(platform in names for names in named):
            return platforms
        return tuple((*names, platform) if names is not None and "cpu" in names else names for names in platforms)

    primitives = (conditionals.platform_index_p, conditionals.cond_p, _export.call_exported_p)
    index, branch, call = (mlir._lowerings[one].rule for one in primitives)

    def platform_index(context, *, platforms):
        return index(context, platforms=chosen(platforms))

    def cond(context, *operands, **parameters):
        platforms = parameters.get("branches_platforms")
        if platforms is not None:
            parameters["branches_platforms"] = chosen(platforms)
        return branch(context, *operands, **parameters)

    def call_exported(context, *operands, exported):
        alone = tuple(context.module_context.platforms) == (platform,)
        if alone and platform not in exported.platforms and "cpu" in exported.platforms:
            # A program for several platforms takes the position of one among them, which is that of "cpu".
            names = tuple(platform if name == "cpu" else name for name in exported.platforms)
            exported = dataclasses.replace(exported, platforms=names)
        return call(context, *operands, exported=exported)

    rules = mlir._platform_specific_lowerings
    rules[platform] = Rules(rules[platform], mlir._lowerings, rules["cpu"])
    mlir.register_lowering(conditionals.platform_index_p, platform_index, platform=platform)
    mlir.register_lowering(conditionals.cond_p, cond, platform=platform)
    mlir.register_lowering(_export.call_exported_p, call_exported, platform=platform)
