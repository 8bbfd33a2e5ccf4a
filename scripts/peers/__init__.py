"""Parts of scripts/bench_peers.py.

`measure` is the parent's side: it starts a process for each system (`worker`), compares their results and gives them
turns. `strata`, `xla`, `iree`, `with_numpy` and `peak` are the systems, `programs` reads what is to be measured,
`summary` and `page` make tables of the rows.
"""
