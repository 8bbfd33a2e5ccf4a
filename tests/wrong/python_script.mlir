import jax
import jax.numpy as jnp

def f(x):
    return jnp.tanh(x)
