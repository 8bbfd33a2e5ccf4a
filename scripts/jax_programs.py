"""Programs for scripts/check_jax.py, one `emit` each: what JAX makes many kinds of operations of.

`emit(name, function, *arguments)` comes from there. Results are unique: factorisations are multiplied out again.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


i32, f32 = jnp.int32, jnp.float32

# Layers
emit("dense_layers", lambda x, w, b, v: jax.nn.log_softmax(jax.nn.gelu(x @ w + b) @ v), array(5, 7), array(7, 9), array(9), array(9, 3))
emit("gradient_step", lambda w, x: w - 0.1 * jax.grad(lambda w: jnp.square(jnp.tanh(x @ w)).mean())(w), array(7, 3), array(5, 7))
emit("donated_step", lambda s, x: (s + x, (s * x).sum()), array(3, 5), array(3, 5), jitkw={"donate_argnums": 0})


def attention(x, q, k, v):
    heads = [jnp.einsum("bsd,dhe->bhse", x, w) for w in (q, k, v)]
    scores = jnp.einsum("bhse,bhte->bhst", heads[0], heads[1]) / 2.0
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bhst,bhte->bshe", jax.nn.softmax(scores), heads[2])


emit("causal_attention", attention, array(2, 5, 6), array(6, 2, 4), array(6, 2, 4), array(6, 2, 4))


def norm(x, scale):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale


emit("layer_norm_gradient", jax.grad(lambda x, s: (norm(x, s) ** 2).sum(), argnums=(0, 1)), array(3, 7), array(7))


def convolution(x, w, **options):
    return lax.conv_general_dilated(x, w, dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)


emit("convolution_same", lambda x, w: convolution(x, w, window_strides=(2, 1), padding="SAME"), array(2, 9, 7, 3), array(3, 3, 3, 5))
emit("convolution_depthwise", lambda x, w: convolution(x, w, window_strides=(1, 1), padding="VALID", feature_group_count=4), array(1, 6, 6, 4), array(3, 2, 1, 8))
emit("convolution_gradient", jax.grad(lambda w, x: convolution(x, w, window_strides=(1, 1), padding="SAME").sum()), array(3, 3, 2, 4), array(2, 5, 5, 2))
emit("pools", lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME")), array(1, 6, 6, 2))
emit("max_pool_gradient", jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID").sum()), array(6, 4))


def cell(carry, x):
    h, c = carry
    i, f, g, o = jnp.split(x + jnp.tanh(h).sum() * 0.1, 4)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return (jax.nn.sigmoid(o) * jnp.tanh(c), c), h


emit("recurrent", lambda xs: lax.scan(cell, (jnp.zeros(3), jnp.zeros(3)), xs), array(6, 12))
emit("recurrent_gradient", jax.grad(lambda xs: lax.scan(cell, (jnp.zeros(3), jnp.zeros(3)), xs)[1].sum()), array(4, 12))

# Control flow
emit("collatz", lambda n: lax.while_loop(lambda s: s[0] > 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n + 7, 0)), array(dtype=i32))
emit("branches", lambda i, x: lax.switch(i, [lambda x: x + 1, jnp.cos, lambda x: x[::-1]], x), array(dtype=i32), array(5))
emit("nested_loops", lambda x: lax.fori_loop(0, 3, lambda i, a: lax.fori_loop(0, i, lambda j, b: b * 1.5 + j, a), x), array(3))
emit("scans_of_rows", lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1), lax.cumlogsumexp(x), lax.associative_scan(jnp.multiply, x, axis=1)), array(4, 6))
emit("checkpointed", jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.exp(y)))(x).sum()), array(5))

# Numbers
emit("pointwise", lambda x: (jnp.exp(x), jnp.log1p(x), jnp.expm1(x), jnp.sin(x), jnp.tan(x), jnp.tanh(x), jnp.cbrt(x), lax.rsqrt(x), jnp.sqrt(x), jnp.arcsin(x), jnp.arccos(x), jnp.arctan(x), jnp.sinh(x), jnp.cosh(x), jnp.arcsinh(x), jnp.arccosh(x + 1), jnp.arctanh(x), jax.nn.sigmoid(x), lax.erf(x), lax.erfc(x), lax.erf_inv(x)), array(7))
emit("special_functions", lambda x: (lax.lgamma(x), lax.digamma(x), lax.bessel_i0e(x), lax.bessel_i1e(x), lax.igamma(x, x + 1), jax.scipy.special.betainc(x, x, x), jax.scipy.special.ndtr(x), jax.scipy.special.logit(x)), array(5))
emit("integers", lambda x, y: (x // (y + 1), x % (y + 1), x << y, x >> 1, x & y, ~x, lax.population_count(x), lax.clz(x), jnp.sign(x - y), x ** 3, jnp.gcd(x, y)), array(6, dtype=i32), array(6, dtype=i32))
emit("unsigned", lambda x: (x * 200, x - 3, x / 2, x.astype(jnp.uint8), lax.bitcast_convert_type(x, jnp.uint8)), array(5, dtype=jnp.uint32))
emit("half_precision", lambda x, y: (x @ y, jnp.exp(x), (x * 3).astype(jnp.float16), x.sum()), array(4, 5, dtype=jnp.bfloat16), array(5, 3, dtype=jnp.bfloat16))
emit("complex_numbers", lambda x, y: (x * y, jnp.exp(x), jnp.log(x), jnp.sqrt(x), x**y, jnp.abs(x), jnp.angle(x), jnp.tanh(x), x @ y), array(5, dtype=jnp.complex64), array(5, dtype=jnp.complex64))
emit("rounding", lambda x: (jnp.round(x * 7), jnp.floor(x * 7), jnp.ceil(x * 7), jnp.trunc(x * 7), lax.reduce_precision(x, 5, 4), jnp.nextafter(x, x + 1), jnp.nan_to_num(x / (x - x))), array(5))
emit("products", lambda x, y: (jnp.einsum("abc,cd->bad", x, y), jnp.tensordot(x, y, ((0,), (1,))), jnp.outer(x[0, 0], y[0]), lax.dot_general(x, y, (((0,), (1,)), ((), ())), precision="highest")), array(3, 2, 4), array(4, 3))

# Data movement
emit("slices", lambda x: (x[1:, ::2], x[::-1], jnp.roll(x, 2, 1), jnp.pad(x, 1, mode="reflect"), jnp.concatenate([x, 2 * x], 1), x.T, jnp.tile(x, (1, 2)), jnp.repeat(x, 2, 0), jnp.diagonal(x), jnp.triu(x)), array(4, 5))
emit("indexing", lambda x, i: (x[i], jnp.take(x, i, 1), jnp.take_along_axis(x, i[None], 1), x.at[i].add(1.0), x.at[:, i].set(0.0), x.at[i].max(0.5), jax.vmap(lambda r, j: r[j])(x[:3], i)), array(4, 5), array(3, dtype=i32))
emit("dynamic_places", lambda x, i: (lax.dynamic_slice(x, (i, i), (2, 3)), lax.dynamic_update_slice(x, -jnp.ones((1, 2)), (i, i + 1)), lax.dynamic_index_in_dim(x, i, 1)), array(4, 5), array(dtype=i32))
emit("segments", lambda x, i: (jax.ops.segment_sum(x, i, 3), jax.ops.segment_max(x, i, 3), jnp.bincount(i, length=4)), array(7, 2), array(7, dtype=i32))
emit("sorting", lambda x, i: (jnp.sort(x, 0), jnp.argsort(x, 1), lax.sort((i, x[0]), num_keys=1), lax.top_k(x, 2), jnp.median(x), jnp.searchsorted(jnp.sort(x[0]), x[1]), jnp.unique(i, size=4), jnp.argmax(x, 1)), array(3, 6), array(6, dtype=i32))
emit("reductions_of_all_kinds", lambda x: (x.sum(0), x.prod(1), x.max(), x.min(0), x.std(), (x > 0.5).any(0), (x > 0.1).all(1), jax.nn.logsumexp(x, 1), jnp.linalg.norm(x), x.argmin()), array(4, 5))
emit("fourier", lambda x, z: (jnp.fft.fft(z), jnp.fft.ifft2(z), jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.fftn(z), jnp.convolve(x[0], x[1])), array(3, 8), array(3, 8, dtype=jnp.complex64))
emit("resized", lambda x: (jax.image.resize(x, (7, 5, 2), "bilinear"), jax.image.resize(x, (2, 3, 2), "nearest")), array(4, 4, 2))
emit("empty", lambda x: (x[:0], jnp.zeros((0, 3)) @ jnp.ones((3, 2)), x[:0].sum()), array(4, 2))
emit("kept_argument", lambda x, y: x + 1, array(3), array(2), jitkw={"keep_unused": True})
emit("dropped_argument", lambda x, y: y * 2, array(3), array(2))
emit("nested_results", lambda d: {"a": d["x"] + 1, "b": [d["y"], (d["x"] * 2,)]}, {"x": array(3), "y": array(2, dtype=i32)})
emit("constants", lambda x: (x + np.arange(300, dtype=np.float32), np.array([True, False]), np.array([[1 + 2j]], np.complex64), jnp.eye(3)), array(300))
emit("approximate_top_k", lambda x: lax.approx_max_k(x, 3), array(2, 64))
emit("buffer", lambda x: jnp.empty((3, 2)).at[:].set(x), array(2))

# Random numbers
key = jax.random.key(3)
emit("random_numbers", lambda k: (jax.random.normal(k, (5,)), jax.random.uniform(k, (3,), minval=-1), jax.random.bits(k, (4,), "uint16"), jax.random.split(k, 2), jax.random.fold_in(k, 9)), key)
emit("random_choices", lambda k: (jax.random.permutation(k, 7), jax.random.randint(k, (5,), 0, 9), jax.random.categorical(k, jnp.zeros((2, 4))), jax.random.bernoulli(k, 0.3, (6,))), key)
emit("random_gamma", lambda k: (jax.random.gamma(k, 1.5, (3,)), jax.random.beta(k, 2.0, 3.0, (2,)), jax.random.exponential(k, (4,))), key)
emit("counter_generator", lambda k: jax.random.normal(k, (3, 3)), jax.random.key(3, impl="rbg"))

# Linear algebra: calls of LAPACK.
multiplied = functools.partial(jnp.matmul, precision="highest")


def eigenvalues(a):
    values, vectors = jnp.linalg.eigh(a)
    return values, multiplied(vectors * values[..., None, :], jnp.swapaxes(vectors, -1, -2))


def singular(a):
    u, s, v = jnp.linalg.svd(a, full_matrices=False)
    return s, multiplied(u * s[..., None, :], v)


def orthogonal(a):
    q, r = jnp.linalg.qr(a)
    return multiplied(q, r), jnp.abs(r)


emit("cholesky_factor", jnp.linalg.cholesky, array(4, 4))
emit("cholesky_batched", jnp.linalg.cholesky, array(2, 3, 3))
emit("solved", lambda a, b: (jnp.linalg.solve(a, b), jnp.linalg.inv(a), jnp.linalg.det(a), jax.scipy.linalg.solve_triangular(a, b, lower=True)), array(4, 4), array(4, 2))
emit("eigenvalues", eigenvalues, array(4, 4))
emit("eigenvalues_of_any", lambda a: jnp.sort(jnp.linalg.eigvals(a).real), array(3, 3))
emit("singular_values", singular, array(3, 5, 2))
emit("orthogonal_factor", orthogonal, array(5, 3))
emit("least_squares", lambda a, b: jnp.linalg.lstsq(a, b)[0], array(6, 3), array(6))
emit("matrix_exponential", jax.scipy.linalg.expm, array(3, 3))
emit("tridiagonal", lambda d, e, b: lax.linalg.tridiagonal_solve(e, d + 3, e, b), array(5), array(5), array(5, 2))

# Rejected programs: several devices, and callbacks.
devices = np.array(jax.devices())
if len(devices) >= 4:
    mesh = jax.sharding.Mesh(devices[:4].reshape(2, 2), ("a", "b"))
    spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("a", "b"))
    emit("spread_over_devices", lambda x, y: x @ y, array(4, 4), array(4, 4), jitkw={"in_shardings": (spread, spread)})
emit("calls_back", lambda x: jax.pure_callback(np.sin, array(3), x), array(3))
