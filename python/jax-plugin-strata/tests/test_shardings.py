"""Programs whose values are split over eight devices: the results, parts and shardings are those of XLA's CPU."""

import os
import unittest

os.environ.setdefault("JAX_PLATFORMS", "strata,cpu")
os.environ.setdefault("STRATA_NUM_DEVICES", "8")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec as P

PLATFORMS = ("strata", "cpu")


def mesh(platform, sizes=(4, 2), names=("x", "y")):
    devices = np.array(jax.devices(platform)[: int(np.prod(sizes))])
    return jax.sharding.Mesh(devices.reshape(sizes), names)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float32) / 4


def layer(x, w, b):
    return jnp.tanh(x @ w + b)


class Shardings(unittest.TestCase):
    def both(self, program, *, ulp=4, shardings=None):
        """Runs `program(mesh)` on both platforms. Results agree, as do the parts that devices have; shardings that the compiler chooses
        may differ, and are those that are named."""
        ours, theirs = (jax.tree.leaves(program(mesh(platform))) for platform in PLATFORMS)
        self.assertEqual(len(ours), len(theirs))
        for own, other in zip(ours, theirs):
            whole = np.asarray(other)
            np.testing.assert_array_max_ulp(np.asarray(own), whole, ulp)
            self.assertEqual({shard.device.platform for shard in own.addressable_shards}, {"strata"})
            for shard in own.addressable_shards:
                np.testing.assert_array_max_ulp(np.asarray(shard.data), whole[shard.index], ulp)
        if shardings is not None:
            self.assertEqual([own.sharding.spec for own in ours], shardings)
        return ours

    def arguments(self, mesh):
        on = lambda spec: NamedSharding(mesh, spec)
        x = jax.device_put(numbers(8, 12), on(P("x", None)))
        w = jax.device_put(numbers(12, 6, seed=1), on(P(None, "y")))
        return x, w, jax.device_put(numbers(6, seed=2), on(P("y")))

    def test_results_are_split_as_they_are_computed(self):
        (result,) = self.both(lambda mesh: jax.jit(layer)(*self.arguments(mesh)), shardings=[P("x", "y")])
        self.assertEqual(result.addressable_shards[0].data.shape, (2, 3))

    def test_functions_have_rules_of_their_own(self):
        def program(mesh):
            @custom_partitioning
            def scaled(x, w):
                return jnp.abs(jnp.sin(x)) @ jnp.abs(w)

            def partition(mesh, arguments, result):
                return mesh, scaled.fun, result.sharding, tuple(one.sharding for one in arguments)

            scaled.def_partition(partition, sharding_rule="i k, k j -> i j", need_replication_factors=("k",))
            x, w, _ = self.arguments(mesh)
            return jax.jit(lambda x, w: scaled(x, w) + 1)(x, w)

        self.both(program)

    def test_results_are_split_as_asked(self):
        for spec in (P(), P("y", "x"), P(("x", "y")), P(None, "y")):

            def program(mesh, spec=spec):
                x, w, _ = self.arguments(mesh)
                return jax.jit(lambda x, w: (x @ w)[:, :4] * 2, out_shardings=NamedSharding(mesh, spec))(x, w)

            self.both(program, shardings=[spec])

    def test_sums_over_devices(self):
        def program(mesh):
            x = jax.device_put(numbers(8, 12), NamedSharding(mesh, P(None, "x")))
            w = jax.device_put(numbers(12, 6, seed=1), NamedSharding(mesh, P("x", None)))
            return jax.jit(lambda x, w: (x @ w, x.sum(), x.max(0), (x * 2).sum(1)))(x, w)

        self.both(program)

    def test_constraints(self):
        def program(mesh):
            def constrained(x, w, b):
                hidden = jax.lax.with_sharding_constraint(x @ w, NamedSharding(mesh, P("y", None)))
                return jnp.sort(hidden + b, axis=0), jax.lax.with_sharding_constraint(hidden.T, NamedSharding(mesh, P(None, ("x", "y"))))

            return jax.jit(constrained)(*self.arguments(mesh))

        self.both(program)

    def test_sizes_that_are_not_divided(self):
        """A constraint of 7 rows over 4 devices inside; JAX takes arguments and results of equal parts alone."""

        def program(mesh):
            x = jax.device_put(numbers(7, 6), NamedSharding(mesh, P(None, "y")))
            inner = lambda x: jax.lax.with_sharding_constraint(x * 3, NamedSharding(mesh, P("x", None))).sum(0)
            return jax.jit(inner)(x)

        self.both(program)

        # What follows from the arguments would be 5 rows on 2 devices.
        def result(mesh):
            x = jax.device_put(numbers(6, 4), NamedSharding(mesh, P("y", None)))
            return jax.jit(lambda x: jnp.concatenate([x, x[:4]])[:5] + x[:5])(x)

        found = jax.jit(lambda x: x + 1)(result(mesh("strata")))
        np.testing.assert_array_equal(np.asarray(found), np.asarray(result(mesh("cpu"))) + 1)

    def test_loops_and_gradients(self):
        def loss(w, x):
            hidden, _ = jax.lax.scan(lambda h, _: (jnp.tanh(h @ w), None), x, length=3)
            return (hidden**2).sum()

        def program(mesh):
            x = jax.device_put(numbers(8, 6), NamedSharding(mesh, P("x", None)))
            w = jax.device_put(numbers(6, 6, seed=1) / 4, NamedSharding(mesh, P(None, "y")))
            return jax.jit(jax.value_and_grad(loss))(w, x)

        self.both(program, ulp=64)

    def test_shard_map(self):
        def body(x, w):
            return jax.lax.psum(x @ w, "x"), jax.lax.all_gather(x, "y", axis=0, tiled=True), jax.lax.axis_index("x")[None] * 3

        def program(mesh):
            mapped = jax.shard_map(body, mesh=mesh, in_specs=(P("y", "x"), P("x")), out_specs=(P("y"), P(None, "x"), P("x")), check_vma=False)
            x, w = numbers(8, 12), numbers(12, 3, seed=1)
            inside = jax.jit(lambda x, w: jnp.cos(mapped(x * 2, w)[0]).sum(0))
            return jax.jit(mapped)(x, w), inside(*(jax.device_put(one, NamedSharding(mesh, P("x"))) for one in (x, w)))

        self.both(program)

    def test_pmap(self):
        for platform in PLATFORMS:
            summed = jax.pmap(lambda x: (jax.lax.psum(x, "i"), x * 2), axis_name="i", devices=jax.devices(platform))
            total, doubled = summed(numbers(8, 3))
            np.testing.assert_array_equal(total, np.tile(numbers(8, 3).sum(0), (8, 1)))
            np.testing.assert_array_equal(doubled, numbers(8, 3) * 2)

    def test_terms_of_sums(self):
        """Results of which each device has a term, and programs that add them."""

        def program(mesh):
            explicit = jax.sharding.Mesh(mesh.devices, ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
            with jax.set_mesh(explicit):
                x = jax.device_put(numbers(6, 8), P(None, "x"))
                w = jax.device_put(numbers(8, 4, seed=1), P("x", "y"))
                terms = jax.jit(jax.shard_map(lambda x, w: x @ w, out_specs=P(None, "y", unreduced={"x"})))(x, w)
                self.assertEqual(terms.sharding.spec, P(None, "y", unreduced={"x"}))
                self.assertEqual(terms.addressable_shards[0].data.shape, (6, 2))
                added = jax.jit(jax.shard_map(lambda t: jax.lax.psum(t, "x"), in_specs=P(None, "y", unreduced={"x"}), out_specs=P(None, "y")))(terms)
                return added, jax.sharding.reshard(terms, P(None, None))

        self.both(program)

    def test_arrays_from_callbacks_and_between_shardings(self):
        def program(mesh):
            whole = numbers(8, 4)
            made = jax.make_array_from_callback((8, 4), NamedSharding(mesh, P("x", "y")), lambda index: whole[index])
            moved = jax.device_put(made, NamedSharding(mesh, P(None, "x")))
            return made, moved, jax.jit(lambda a, b: a * 2 - b)(made, moved).sum(0)

        self.both(program, ulp=0)

    def test_functions_are_called_once(self):
        seen, number = [], jax.ShapeDtypeStruct((), jnp.float32)

        def draw(x):
            # Another number each time: devices that each drew one would differ.
            seen.append(x.shape)
            return np.float32(len(seen))

        def program(x):
            jax.debug.callback(lambda x: seen.append(x.shape), x)
            x += jax.lax.fori_loop(0, 3, lambda _, sum_: sum_ + io_callback(draw, number, x, ordered=True), 0.0)
            return x + jax.pure_callback(draw, number, x[0])

        x = jax.device_put(numbers(8, 12), NamedSharding(mesh("strata"), P("x", "y")))
        result = jax.jit(program)(x)
        jax.effects_barrier()
        self.assertEqual(seen, [(8, 12)] * 4 + [(12,)])
        for shard in result.addressable_shards:
            np.testing.assert_array_equal(np.asarray(shard.data), numbers(8, 12)[shard.index] + (2 + 3 + 4 + 5))

    def test_functions_of_programs_for_each_device_are_called_by_each(self):
        seen, of_part = [], jax.ShapeDtypeStruct((2, 12), jnp.float32)

        def double(x):
            seen.append(x.shape)
            return 2 * np.asarray(x)

        split = jax.shard_map(lambda x: io_callback(double, of_part, x), mesh=mesh("strata", (4,), ("x",)), in_specs=P("x"), out_specs=P("x"))
        np.testing.assert_array_equal(np.asarray(jax.jit(split)(numbers(8, 12))), 2 * numbers(8, 12))
        self.assertEqual(seen, [(2, 12)] * 4)

    def test_functions_that_fail_for_all(self):
        def fail(_):
            raise ValueError("no such number")

        def program(x):
            return x + io_callback(fail, jax.ShapeDtypeStruct((), jnp.float32), x)

        x = jax.device_put(numbers(8, 12), NamedSharding(mesh("strata"), P("x", "y")))
        for _ in range(2):
            with self.assertLogs(level="ERROR") as log, self.assertRaisesRegex(jax.errors.JaxRuntimeError, "no such number"):
                jax.jit(program)(x).block_until_ready()
            self.assertEqual(len(log.output), 1)

    def test_orders_of_devices(self):
        def program(mesh):
            other = jax.sharding.Mesh(mesh.devices.reshape(-1)[::-1].reshape(2, 4), ("a", "b"))
            x = jax.device_put(numbers(8, 4), NamedSharding(other, P("b", "a")))
            return jax.jit(lambda x: jnp.cumsum(x, axis=0) @ x.T)(x)

        self.both(program)

    def test_donated_arguments(self):
        platform_mesh = mesh("strata")
        x, w, _ = self.arguments(platform_mesh)
        # Arrays of NumPy that are aligned are used where they are, which no result can be.
        x = jax.jit(lambda x: x * 2)(x)
        step = jax.jit(lambda x, w: (x - (x @ w) @ w.T), donate_argnums=0)
        addresses = {shard.device.id: shard.data.unsafe_buffer_pointer() for shard in x.addressable_shards}
        # Not of `np.asarray(x)`, which keeps the memory of its parts.
        given, factor = numbers(8, 12) * 2, numbers(12, 6, seed=1)
        expected = given - given @ factor @ factor.T
        compiled = step.lower(x, w).compile()
        self.assertEqual(compiled.memory_analysis().alias_size_in_bytes, 2 * 12 * 4)
        result = step(x, w)
        self.assertTrue(x.is_deleted() and not w.is_deleted())
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-5)
        found = {shard.device.id: shard.data.unsafe_buffer_pointer() for shard in result.addressable_shards}
        self.assertEqual(found, addresses)

    def test_devices_have_and_compute_parts(self):
        on = lambda spec: NamedSharding(mesh("strata"), spec)
        shapes = [jax.ShapeDtypeStruct((64, 96), jnp.float32, sharding=on(P("x", None))), jax.ShapeDtypeStruct((96, 32), jnp.float32, sharding=on(P(None, "y")))]
        compiled = jax.jit(lambda x, w: jnp.tanh(x @ w) @ w.T).lower(*shapes).compile()
        memory = compiled.memory_analysis()
        self.assertEqual(memory.argument_size_in_bytes, (16 * 96 + 96 * 16) * 4)
        self.assertEqual(memory.output_size_in_bytes, 16 * 96 * 4)
        whole = jax.jit(lambda x, w: jnp.tanh(x @ w) @ w.T).lower(np.zeros((64, 96), np.float32), np.zeros((96, 32), np.float32)).compile()
        self.assertLessEqual(compiled.cost_analysis()["flops"], whole.cost_analysis()["flops"] / 7)
        text = compiled.as_text()
        self.assertIn("f32[16,96]", text)
        self.assertIn("all-reduce", text)
        self.assertNotIn("64,96", text)
        self.assertEqual([one.spec for one in compiled.input_shardings[0]], [P("x", None), P(None, "y")])

    def test_uneven_arguments_are_refused(self):
        with self.assertRaisesRegex(ValueError, "should evenly divide"):
            jax.device_put(numbers(7, 4), NamedSharding(mesh("strata"), P("x")))


if __name__ == "__main__":
    unittest.main()
