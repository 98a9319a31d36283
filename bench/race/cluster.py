"""Cluster: three primaries of a Redis Cluster instead of one store."""

from bench.race import stores
from bench.race.compared import compare, written
from bench.race.fleet import fleet
from bench.race.plan import Plan
from bench.race.report import Section


def section(plan: Plan) -> Section:
    """Measure both in turn."""
    ways = {
        "one store": lambda: fleet(stores.single, replicas=1),
        "a Cluster": lambda: fleet(stores.cluster, replicas=1),
    }
    title = "Cluster: three primaries instead of one store, all on this machine"
    return Section(title, written(compare("cluster", ways, plan)))
