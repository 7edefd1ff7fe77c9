"""A Dask scheduler with two worker processes for the cluster tests; prints its address, then the workers' ids.

It lives until its standard input ends. Workers that die are replaced.
"""

import importlib
import sys


def main() -> None:
    """Run the cluster."""
    with importlib.import_module("distributed").LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        print(cluster.scheduler_address, *(worker.pid for worker in cluster.workers.values()), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
