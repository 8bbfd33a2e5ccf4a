"""Parts of scripts/bench_peers.py.

`measure` is the parent's side: it starts a process for each system (`worker`), compares their results and gives them
turns. `strata`, `xla`, `iree`, `with_numpy`, `onnx_runtime`, `open_vino` and `peak` are the systems. `programs` and
`zoo` (with `einsum`) read what is to be measured, `counts` says what it has to do at least; `summary`, `limits` and
`page` make tables of the rows.
"""
