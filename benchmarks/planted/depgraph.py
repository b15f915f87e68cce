"""Directed acyclic graphs that stay acyclic.

g = Dag([("shirt", "tie"), ("tie", "jacket")])
list(g.topological())        # ['shirt', 'tie', 'jacket']
"""

from collections import deque


class CycleError(ValueError):
    """An edge would have closed a cycle.

    ``path`` lists the nodes of that cycle, its first node is repeated at the end.
    """

    def __init__(self, path):
        super().__init__(" -> ".join(map(str, path)))
        self.path = path


class Dag:
    def __init__(self, edges=()):
        # dicts are used as ordered sets
        self._succ = {}
        self._pred = {}
        for tail, head in edges:
            self.add_edge(tail, head)

    def add_node(self, node):
        if node not in self._succ:
            self._succ[node] = {}
            self._pred[node] = {}

    def add_edge(self, tail, head):
        """Add an edge and, where necessary, its nodes.

        Raises CycleError, and changes nothing, if head already leads to tail.
        """
        path = self.find_path(head, tail) if head != tail else [tail]
        if path:
            raise CycleError([tail] + path if head != tail else [tail, tail])
        self.add_node(tail)
        self.add_node(head)
        self._succ[tail][head] = None
        self._pred[head][tail] = None

    def remove_edge(self, tail, head):
        """Raises KeyError if there is no such edge."""
        if not self.has_edge(tail, head):
            raise KeyError((tail, head))
        del self._succ[tail][head]
        del self._pred[head][tail]

    def remove_node(self, node, bridge=False):
        """Remove a node with its edges; KeyError if there is no such node.

        With bridge=True the predecessors of the node are linked to its
        successors, so that what depended on each other still does.
        """
        before, after = list(self._pred[node]), list(self._succ[node])
        for tail in before:
            del self._succ[tail][node]
        for head in after:
            del self._pred[head][node]
        del self._succ[node], self._pred[node]
        if bridge:
            for tail in before:
                for head in after:
                    self._succ[tail][head] = None
                    self._pred[head][tail] = None

    # queries

    def has_edge(self, tail, head):
        return tail in self._succ and head in self._succ[tail]

    def successors(self, node):
        return list(self._succ[node])

    def predecessors(self, node):
        return list(self._pred[node])

    def roots(self):
        return [n for n, pred in self._pred.items() if not pred]

    def leaves(self):
        return [n for n, succ in self._succ.items() if not succ]

    def edges(self):
        for tail, heads in self._succ.items():
            for head in heads:
                yield tail, head

    def __contains__(self, node):
        return node in self._succ

    def __iter__(self):
        return iter(self._succ)

    def __len__(self):
        return len(self._succ)

    def __eq__(self, other):
        if not isinstance(other, Dag):
            return NotImplemented
        return self._succ == other._succ

    __hash__ = None

    def _reach(self, starts, table):
        seen = set()
        stack = list(starts)
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                stack.extend(table[node])
        return seen

    def descendants(self, node):
        """All nodes that can be reached from node, without node itself."""
        return self._reach(self._succ[node], self._succ)

    def ancestors(self, node):
        return self._reach(self._pred[node], self._pred)

    def find_path(self, start, goal):
        """A shortest path as a list of nodes, [] if there is none."""
        if start not in self._succ or goal not in self._succ:
            return []
        came_from = {start: None}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            if node == goal:
                path = [node]
                while node != start:
                    node = came_from[node]
                    path.append(node)
                return path[::-1]
            for head in self._succ[node]:
                if head not in came_from:
                    came_from[head] = node
                    queue.append(head)
        return []

    def topological(self):
        """Yield every node after all of its predecessors."""
        missing = {n: len(pred) for n, pred in self._pred.items()}
        ready = deque(self.roots())
        while ready:
            node = ready.popleft()
            yield node
            for head in self._succ[node]:
                missing[head] -= 1
                if not missing[head]:
                    ready.append(head)

    def levels(self):
        """Nodes grouped by the length of the longest path that leads to them."""
        depth = {}
        result = []
        for node in self.topological():
            level = 1 + max((depth[p] for p in self._pred[node]), default=-1)
            depth[node] = level
            if level == len(result):
                result.append([])
            result[level].append(node)
        return result

    # whole graph operations

    def reduce(self):
        """Drop each edge that a longer path makes superfluous.

        Returns the number of edges dropped.  What can be reached from where
        stays the same.
        """
        dropped = 0
        for node, heads in self._succ.items():
            for head in list(heads):
                others = [h for h in heads if h != head]
                if head in self._reach(others, self._succ):
                    self.remove_edge(node, head)
                    dropped += 1
        return dropped

    def copy(self):
        twin = Dag()
        for node in self._succ:
            twin._succ[node] = dict(self._succ[node])
            twin._pred[node] = dict(self._pred[node])
        return twin

    def reversed(self):
        twin = self.copy()
        twin._succ, twin._pred = twin._pred, twin._succ
        return twin
