"""Replicas: two of each service instead of one, on the same store; clients are spread over both gateways."""

from bench.race import stores
from bench.race.compared import compare, written
from bench.race.fleet import fleet
from bench.race.plan import Plan
from bench.race.report import Section


def section(plan: Plan) -> Section:
    """Measure both in turn."""
    ways = {
        "one of each": lambda: fleet(stores.single, replicas=1),
        "two of each": lambda: fleet(stores.single, replicas=2),
    }
    return Section("Replicas: two of each service instead of one", written(compare("replicas", ways, plan)))
