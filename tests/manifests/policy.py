"""What an installation has to be, whatever overlay and components it is made of.

A policy is a function from resources to sentences, each of which says what is wrong; none says that all is well. Each
belongs to a property that operators rely on, so none of these can silently go. `test_policies.py` breaks each in turn.
"""

from collections.abc import Callable, Iterator

from tests.manifests import (
    policy_entry,
    policy_links,
    policy_network,
    policy_pods,
    policy_probes,
    policy_scale,
    policy_settings,
    policy_store,
)
from tests.manifests.resources import Resources

Policy = Callable[[Resources], Iterator[str]]

POLICIES: dict[str, Policy] = {
    "two of each service": policy_scale.two_of_each,
    "a roll-out takes none away": policy_scale.rolls_by_adding,
    "one at a time is drained": policy_scale.disrupted_one_at_a_time,
    "pods are spread": policy_scale.spread,
    "autoscalers never go below two, and slowly": policy_scale.scaled_slowly,
    "three probes, and life depends on nobody": policy_probes.probed,
    "a pod is given the time to drain": policy_probes.given_time,
    "requests, a memory limit that holds what was measured, no processor limit": policy_pods.measured,
    "restricted security": policy_pods.restricted,
    "an account of its own, without a token": policy_pods.without_token,
    "images are pinned": policy_pods.pinned,
    "labels say what it is": policy_pods.labelled,
    "all in one namespace": policy_pods.in_one_namespace,
    "selectors select what they are for": policy_links.selecting,
    "ports that are named exist": policy_links.ports_exist,
    "gRPC is balanced by its clients": policy_links.headless,
    "what is referred to exists, and a change of it rolls the pods": policy_links.hashed,
    "no secret outside of a Secret": policy_links.secret,
    "monitors find every service": policy_links.monitored,
    "settings are known, read and right": policy_settings.understood,
    "the store keeps everything": policy_store.keeps_everything,
    "the store lets nobody in without a password": policy_store.guarded,
    "a Cluster has replicas and is kept": policy_store.clustered,
    "who needs to reach whom may, and nobody else": policy_network.enforced,
    "sockets outlive their heartbeat at the entry": policy_entry.patient,
    "the entry is at the public address, over TLS": policy_entry.at_public_url,
}


def violations(resources: Resources) -> list[str]:
    """Give all that is wrong, each with its policy's name."""
    return [f"{name}: {fault}" for name, policy in POLICIES.items() for fault in policy(resources)]
