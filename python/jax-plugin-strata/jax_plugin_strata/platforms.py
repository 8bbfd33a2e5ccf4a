"""`jax.lax.platform_dependent` takes the branch for "cpu" on Strata, which computes on the processor, unless there is one for Strata."""


def register(platform):
    from jax._src.interpreters import mlir
    from jax._src.lax.control_flow import conditionals

    def chosen(platforms):
        """The branches' platforms, with Strata beside the processor."""
        named = [names for names in platforms if names is not None]
        if any(platform in names for names in named):
            return platforms
        return tuple((*names, platform) if names is not None and "cpu" in names else names for names in platforms)

    index, branch = (mlir._lowerings[one].rule for one in (conditionals.platform_index_p, conditionals.cond_p))

    def platform_index(context, *, platforms):
        return index(context, platforms=chosen(platforms))

    def cond(context, *operands, **parameters):
        platforms = parameters.get("branches_platforms")
        if platforms is not None:
            parameters["branches_platforms"] = chosen(platforms)
        return branch(context, *operands, **parameters)

    mlir.register_lowering(conditionals.platform_index_p, platform_index, platform=platform)
    mlir.register_lowering(conditionals.cond_p, cond, platform=platform)
