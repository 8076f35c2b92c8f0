"""A random cluster, put together step by step; the families say which steps and how wild."""

import objects as o

CPU, MEMORY, GPU = "cpu", "memory", "nvidia.com/gpu"
PRIORITIES = [-1, 0, 0, 0, 1, 2]


def amount(resource, units):
    return f"{units}Gi" if resource == MEMORY else str(units)


class Cluster:
    def __init__(self, dice):
        self.dice = dice
        self.flavors = {}  # name -> constructor arguments
        self.extra = []  # nodes, pods, topologies, namespaces
        self.cohorts = []  # (name, parent)
        self.objects = []
        self.queues = []  # (queue, [[flavor, ...] per group], [resource, ...] per group)
        self.workloads = 0
        self.times = iter(())

    def tree(self, most_cohorts, deepest):
        """Cohorts 'k0', 'k1', ... with parents; depth counts cohorts on the longest path."""
        depth = {}
        for i in range(self.dice.between(1, most_cohorts)):
            above = [name for name, level in depth.items() if level < deepest]
            parent = self.dice.pick(above) if above and self.dice.chance(85) else None
            depth[f"k{i}"] = depth[parent] + 1 if parent else 1
            self.cohorts.append((f"k{i}", parent))

    def quota(self, resource, most, limited, is_cohort=False, has_parent=True):
        nominal = 0 if self.dice.chance(15) else self.dice.between(min(2, most), most)
        borrowing = lending = None
        if has_parent and limited:
            if self.dice.chance(30):
                borrowing = amount(resource, self.dice.between(0, most))
            if self.dice.chance(30):
                lending = amount(resource, self.dice.between(0, most if is_cohort else nominal))
        return (amount(resource, nominal), borrowing, lending)

    def resource_groups(self, shape, most, limited, is_cohort=False, has_parent=True):
        """`shape`: [([flavor, ...], [resource, ...]), ...]."""
        return [
            [
                (
                    name,
                    {
                        resource: self.quota(resource, most, limited, is_cohort, has_parent)
                        for resource in resources
                    },
                )
                for name in flavors
            ]
            for flavors, resources in shape
        ]

    def add_cohorts(self, shape, most=4, own_quota=25, limited=True, weights=None):
        for name, parent in self.cohorts:
            own = self.dice.chance(own_quota)
            if parent is None and not own and weights is None and self.dice.chance(50):
                continue  # an implicit cohort
            self.objects.append(
                o.cohort(
                    name,
                    parent,
                    self.resource_groups(shape, most, limited, True, parent is not None) if own else (),
                    self.dice.pick(weights) if weights else None,
                )
            )

    def add_queue(self, name, shape, most=8, limited=True, in_cohort=90, **policies):
        cohort = self.dice.pick(self.cohorts)[0] if self.cohorts and self.dice.chance(in_cohort) else None
        for flavors, _ in shape:
            for flavor in flavors:
                self.flavors.setdefault(flavor, {})
        self.objects.append(
            o.cluster_queue(
                name, self.resource_groups(shape, most, limited, False, cohort is not None), cohort, **policies
            )
        )
        self.objects.append(o.local_queue(name))
        self.queues.append((name, shape))

    def moments(self, count, spread=600):
        """Different points in time before now."""
        self.times = iter(self.dice.shuffled(range(-spread, 0))[:count])

    def requests(self, shape, most, percent=100):
        """A request for the resources of a queue, each with the given chance, at least one; mostly
        small, so that something is left to decide."""
        most = most if self.dice.chance(25) else (most + 1) // 2
        wanted = [resource for _, resources in shape for resource in resources if resource != "pods"]
        chosen = [resource for resource in wanted if self.dice.chance(percent)] or [self.dice.pick(wanted)]
        return {resource: amount(resource, self.dice.between(1, most)) for resource in chosen}

    def add_running(self, queue, shape, most, priorities=PRIORITIES, evicted=0):
        """A workload of one pod that holds quota in flavors of the queue."""
        name = f"r{self.workloads}"
        self.workloads += 1
        requests = self.requests(shape, most)
        flavors = {}
        for group, resources in shape:
            flavor = self.dice.pick(group)
            for resource in resources:
                if resource in requests:
                    flavors[resource] = flavor
        usage = dict(requests)
        for group, resources in shape:
            if "pods" in resources:
                usage["pods"] = "1"
                flavors["pods"] = flavors.get(CPU, group[0])
        created, reserved = -700 - self.dice.between(0, 300), next(self.times)
        wl = o.workload(name, queue, [o.pod_set("main", 1, requests)], self.dice.pick(priorities), created)
        o.reserve(wl, queue, [o.assignment("main", 1, flavors, usage)], reserved)
        if self.dice.chance(evicted):
            o.evict(wl)
        self.objects.append(wl)

    def add_pending(self, queue, pod_sets, priorities=PRIORITIES, **fields):
        name = f"p{self.workloads}"
        self.workloads += 1
        wl = o.workload(name, queue, pod_sets, self.dice.pick(priorities), next(self.times), **fields)
        self.objects.append(wl)
        return wl

    def scenario(self, **options):
        flavors = [o.flavor(name, **fields) for name, fields in self.flavors.items()]
        return o.scenario("", self.extra + flavors + self.objects, **options)
