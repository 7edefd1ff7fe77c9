"""The match runner: games between engines, and what they show.

The parts, from the inside out: `statistics`, `clock`, `openings` and `schedule` are pure; `client` and its
implementations are engine protocols without input or output; `process`, `player` and `game` play one game;
`unit` plays a pair in a worker, which comes from `pool` or `cluster`; `journal` and `pdn_output` keep the results,
`report` and `display` show them; `runner` drives it all.
"""
