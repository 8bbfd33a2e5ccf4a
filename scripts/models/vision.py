"""ResNet, a depthwise network as MobileNet, a vision transformer, a UNet with group norm."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .layers import (
    Model,
    Weights,
    attention,
    batch_norm,
    conv,
    conv_nchw,
    dense,
    group_norm,
    layer_norm,
    merge_heads,
    split_heads,
)

RESNET50 = {"size": 224, "width": 64, "blocks": (3, 4, 6, 3), "classes": 1000}
RESNET_TINY = {"size": 33, "width": 5, "blocks": (1, 2), "classes": 7}


def resnet(size, width, blocks, classes):
    """Bottleneck blocks, post-activation, NHWC, the stride in the 3x3 convolution."""
    draw = Weights(50)
    weights = {"stem": draw.conv(7, 7, 3, width), "stem_norm": draw.batch_norm(width), "stages": []}
    channels = width
    for stage, count in enumerate(blocks):
        inner = width << stage
        stage_weights = []
        for index in range(count):
            block = {
                "convs": [
                    draw.conv(1, 1, channels, inner),
                    draw.conv(3, 3, inner, inner),
                    draw.conv(1, 1, inner, 4 * inner) * np.float32(0.2),
                ],
                "norms": [draw.batch_norm(inner), draw.batch_norm(inner), draw.batch_norm(4 * inner)],
            }
            if index == 0:
                block["shortcut"] = draw.conv(1, 1, channels, 4 * inner)
                block["shortcut_norm"] = draw.batch_norm(4 * inner)
            channels = 4 * inner
            stage_weights.append(block)
        weights["stages"].append(stage_weights)
    weights["head"] = draw.dense(channels, classes)

    def forward(w, x):
        x = jax.nn.relu(batch_norm(w["stem_norm"], conv(w["stem"], x, 2)))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for stage, stage_weights in enumerate(w["stages"]):
            for index, block in enumerate(stage_weights):
                stride = 2 if stage > 0 and index == 0 else 1
                shortcut = x
                if index == 0:
                    shortcut = batch_norm(block["shortcut_norm"], conv(block["shortcut"], x, stride))
                for position, (kernel, norm) in enumerate(zip(block["convs"], block["norms"])):
                    x = batch_norm(norm, conv(kernel, x, stride if position == 1 else 1))
                    x = jax.nn.relu(x) if position < 2 else x
                x = jax.nn.relu(x + shortcut)
        return dense(w["head"], jnp.mean(x, axis=(1, 2)))

    return Model(forward, weights, (draw.normal(1, size, size, 3, scale=1.0),))


MOBILENET = {
    "size": 224,
    "stem": 32,
    "layers": ((1, 64), (2, 128), (1, 128), (2, 256), (1, 256), (2, 512), (1, 512), (1, 512), (2, 1024), (1, 1024)),
    "classes": 1000,
}
MOBILENET_TINY = {"size": 17, "stem": 5, "layers": ((1, 7), (2, 9)), "classes": 3}


def mobilenet(size, stem, layers, classes):
    """Alternating depthwise 3x3 and pointwise 1x1 convolutions, each with batch norm and relu6, NHWC."""
    draw = Weights(1)
    weights = {"stem": draw.conv(3, 3, 3, stem), "stem_norm": draw.batch_norm(stem), "layers": []}
    channels = stem
    for _, wide in layers:
        weights["layers"].append(
            {
                "depthwise": draw.conv(3, 3, 1, channels),
                "depthwise_norm": draw.batch_norm(channels),
                "pointwise": draw.conv(1, 1, channels, wide),
                "pointwise_norm": draw.batch_norm(wide),
            }
        )
        channels = wide
    weights["head"] = draw.dense(channels, classes)

    def forward(w, x):
        x = jax.nn.relu6(batch_norm(w["stem_norm"], conv(w["stem"], x, 2)))
        for (stride, _), layer in zip(layers, w["layers"]):
            x = conv(layer["depthwise"], x, stride, groups=x.shape[-1])
            x = jax.nn.relu6(batch_norm(layer["depthwise_norm"], x))
            x = jax.nn.relu6(batch_norm(layer["pointwise_norm"], conv(layer["pointwise"], x)))
        return jax.nn.softmax(dense(w["head"], jnp.mean(x, axis=(1, 2))))

    return Model(forward, weights, (draw.normal(1, size, size, 3, scale=1.0),))


VIT_B16 = {"size": 224, "patch": 16, "width": 768, "layers": 12, "heads": 12, "hidden": 3072, "classes": 1000}
VIT_TINY = {"size": 12, "patch": 4, "width": 10, "layers": 2, "heads": 2, "hidden": 14, "classes": 3}


def vit(size, patch, width, layers, heads, hidden, classes):
    """Pre-norm encoder over patches with a class token."""
    draw = Weights(16)
    positions = (size // patch) ** 2 + 1
    weights = {
        "patches": {"w": draw.conv(patch, patch, 3, width), "b": draw.normal(width, scale=0.02)},
        "token": draw.normal(1, 1, width, scale=0.02),
        "positions": draw.normal(positions, width, scale=0.02),
        "layers": [
            {
                "norm1": draw.norm(width),
                "qkv": draw.dense(width, 3 * width),
                "out": draw.dense(width, width),
                "norm2": draw.norm(width),
                "up": draw.dense(width, hidden),
                "down": draw.dense(hidden, width),
            }
            for _ in range(layers)
        ],
        "norm": draw.norm(width),
        "head": draw.dense(width, classes),
    }

    def forward(w, x):
        x = lax.conv_general_dilated(
            x, w["patches"]["w"], (patch, patch), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = x.reshape(x.shape[0], -1, width) + w["patches"]["b"]
        token = jnp.broadcast_to(w["token"], (x.shape[0], 1, width))
        x = jnp.concatenate([token, x], axis=1) + w["positions"]
        for layer in w["layers"]:
            q, k, v = jnp.split(dense(layer["qkv"], layer_norm(layer["norm1"], x)), 3, axis=-1)
            mixed = attention(split_heads(q, heads), split_heads(k, heads), split_heads(v, heads))
            x = x + dense(layer["out"], merge_heads(mixed))
            up = jax.nn.gelu(dense(layer["up"], layer_norm(layer["norm2"], x)), approximate=False)
            x = x + dense(layer["down"], up)
        return dense(w["head"], layer_norm(w["norm"], x)[:, 0])

    return Model(forward, weights, (draw.normal(1, size, size, 3, scale=1.0),))


UNET = {"size": 64, "channels": (64, 128, 256), "groups": 32, "time": 256}
UNET_TINY = {"size": 12, "channels": (6, 9), "groups": 3, "time": 8}


def unet(size, channels, groups, time):
    """One residual block with group norm a level, the time step added in each, attention at the bottom, NCHW."""
    draw = Weights(64)

    def block(n_in, n_out):
        return {
            "norm1": draw.norm(n_in),
            "conv1": draw.conv(3, 3, n_in, n_out),
            "time": draw.dense(time, n_out),
            "norm2": draw.norm(n_out),
            "conv2": draw.conv(3, 3, n_out, n_out) * np.float32(0.2),
            "shortcut": draw.conv(1, 1, n_in, n_out),
        }

    levels = list(zip((channels[0],) + channels[:-1], channels))
    bottom = channels[-1]
    weights = {
        "time1": draw.dense(time, time),
        "time2": draw.dense(time, time),
        "first": draw.conv(3, 3, 3, channels[0]),
        "down": [block(*level) for level in levels],
        "shrink": [draw.conv(3, 3, wide, wide) for wide in channels[:-1]],
        "middle": block(bottom, bottom),
        "middle_norm": draw.norm(bottom),
        "qkv": draw.conv(1, 1, bottom, 3 * bottom),
        "out": draw.conv(1, 1, bottom, bottom) * np.float32(0.2),
        "up": [block(2 * wide, narrow) for narrow, wide in reversed(levels)],
        "last_norm": draw.norm(channels[0]),
        "last": draw.conv(3, 3, channels[0], 3),
    }

    def residual(p, x, moment):
        y = conv_nchw(p["conv1"], jax.nn.silu(group_norm(p["norm1"], x, groups)))
        y = y + dense(p["time"], jax.nn.silu(moment))[:, :, None, None]
        y = conv_nchw(p["conv2"], jax.nn.silu(group_norm(p["norm2"], y, groups)))
        return conv_nchw(p["shortcut"], x) + y

    def forward(w, x, step):
        frequencies = jnp.exp(jnp.arange(time // 2, dtype=jnp.float32) * np.float32(-math.log(1e4) / (time // 2)))
        angles = step[:, None] * frequencies
        moment = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=-1)
        moment = dense(w["time2"], jax.nn.silu(dense(w["time1"], moment)))
        x = conv_nchw(w["first"], x)
        kept = []
        for index, level in enumerate(w["down"]):
            x = residual(level, x, moment)
            kept.append(x)
            if index < len(w["shrink"]):
                x = conv_nchw(w["shrink"][index], x, 2)
        x = residual(w["middle"], x, moment)
        n, c, height, width = x.shape
        qkv = conv_nchw(w["qkv"], group_norm(w["middle_norm"], x, groups)).reshape(n, 3, c, height * width)
        q, k, v = (part.transpose(0, 2, 1)[:, None] for part in (qkv[:, 0], qkv[:, 1], qkv[:, 2]))
        mixed = attention(q, k, v)[:, 0].transpose(0, 2, 1).reshape(n, c, height, width)
        x = x + conv_nchw(w["out"], mixed)
        for index, level in enumerate(w["up"]):
            if index > 0:
                x = jnp.repeat(jnp.repeat(x, 2, axis=2), 2, axis=3)
            x = residual(level, jnp.concatenate([x, kept.pop()], axis=1), moment)
        return conv_nchw(w["last"], jax.nn.silu(group_norm(w["last_norm"], x, groups)))

    return Model(forward, weights, (draw.normal(1, 3, size, size, scale=1.0), np.array([137.0], np.float32)))
