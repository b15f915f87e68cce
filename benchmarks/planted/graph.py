"""Trie and directed graph; googlestyle docstrings with types, no annotations."""

from functools import lru_cache


class _TrieNode:
    __slots__ = ("children", "value", "final")

    def __init__(self):
        self.children = {}
        self.value = None
        self.final = False


class Trie:
    """Map from strings to values by prefix.

    Attributes:
        size (int): number of keys
    """

    def __init__(self, pairs=None):
        """
        Args:
            pairs (dict): keys and their values
        """
        self.root = _TrieNode()
        self.size = 0
        for key, value in (pairs or {}).items():
            self.insert(key, value)

    def insert(self, key, value=None):
        """Insert a key or overwrite its value.

        Args:
            key (str): the key
            value: what it maps to

        Returns:
            bool: whether the key is new
        """
        node = self.root
        for char in key:
            if char not in node.children:
                node.children[char] = _TrieNode()
            node = node.children[char]
        node.value = value
        new = not node.final
        node.final = True
        self.size += new
        return new

    def _find(self, prefix):
        node = self.root
        for char in prefix:
            node = node.children.get(char)
            if node is None:
                return None
        return node

    def search(self, key):
        """
        Args:
            key (str): the key

        Returns:
            the value, None if there is none
        """
        node = self._find(key)
        return node.value if node is not None and node.final else None

    def remove(self, key):
        """Remove a key and the nodes that nothing needs any more.

        Args:
            key (str): the key

        Raises:
            KeyError: If the key is not there.
        """
        path = [self.root]
        for char in key:
            child = path[-1].children.get(char)
            if child is None:
                raise KeyError(key)
            path.append(child)
        node = path[-1]
        if not node.final:
            raise KeyError(key)
        node.final = False
        node.value = None
        self.size -= 1
        for i in range(len(key), 0, -1):
            if path[i].final or path[i].children:
                break
            del path[i - 1].children[key[i - 1]]

    def keys_with_prefix(self, prefix=""):
        """All keys that start with the prefix, in order.

        Args:
            prefix (str): the prefix

        Yields:
            str: a key
        """
        node = self._find(prefix)
        if node is None:
            return
        stack = [(prefix, node)]
        while stack:
            key, node = stack.pop()
            if node.final:
                yield key
            for char in sorted(node.children, reverse=True):
                stack.append((key + char, node.children[char]))

    def longest_prefix(self, text):
        """The longest key that text starts with, or None.

        Args:
            text (str): any text
        """
        node, best = self.root, "" if self.root.final else None
        for i, char in enumerate(text):
            node = node.children.get(char)
            if node is None:
                break
            if node.final:
                best = text[: i + 1]
        return best

    def __len__(self):
        return self.size

    def __contains__(self, key):
        node = self._find(key)
        return node is not None and node.final

    def __iter__(self):
        return self.keys_with_prefix()


class CycleError(ValueError):
    """The graph has a cycle."""


class Graph:
    """Directed graph of hashable nodes."""

    def __init__(self):
        self._out = {}
        self._in = {}
        self._order = None

    def add_node(self, node):
        if node not in self._out:
            self._out[node] = {}
            self._in[node] = set()
            self._order = None

    def add_edge(self, source, target, weight=1):
        """Add an edge, and its nodes.

        Args:
            source: a node
            target: a node
            weight (int): at least 0

        Raises:
            ValueError: If the weight is negative.
        """
        if weight < 0:
            raise ValueError("negative weight")
        self.add_node(source)
        self.add_node(target)
        self._out[source][target] = weight
        self._in[target].add(source)
        self._order = None

    def remove_edge(self, source, target):
        """
        Raises:
            KeyError: If there is no such edge.
        """
        del self._out[source][target]
        self._in[target].discard(source)
        self._order = None

    def remove_node(self, node):
        """
        Raises:
            KeyError: If there is no such node.
        """
        for target in self._out.pop(node):
            self._in[target].discard(node)
        for source in self._in.pop(node):
            if source != node:
                del self._out[source][node]
        self._order = None

    def nodes(self):
        return list(self._out)

    def edges(self):
        return [(s, t, w) for s, targets in self._out.items() for t, w in targets.items()]

    def successors(self, node):
        return list(self._out[node])

    def predecessors(self, node):
        return list(self._in[node])

    def topological(self):
        """Nodes so that each comes before its successors; remembered until the graph changes.

        Raises:
            CycleError: If there is a cycle.
        """
        if self._order is None:
            degree = {node: len(sources) for node, sources in self._in.items()}
            ready = [node for node, d in degree.items() if not d]
            order = []
            while ready:
                node = ready.pop()
                order.append(node)
                for target in self._out[node]:
                    degree[target] -= 1
                    if not degree[target]:
                        ready.append(target)
            if len(order) < len(self._out):
                raise CycleError("cycle")
            self._order = order
        return list(self._order)

    def distance(self, source, target):
        """Length of the shortest path, None if there is none."""
        import heapq

        best = {source: 0}
        heap = [(0, 0, source)]
        count = 0
        while heap:
            d, _, node = heapq.heappop(heap)
            if node == target:
                return d
            if d > best[node]:
                continue
            for neighbour, weight in self._out.get(node, {}).items():
                if neighbour not in best or d + weight < best[neighbour]:
                    best[neighbour] = d + weight
                    count += 1
                    heapq.heappush(heap, (d + weight, count, neighbour))
        return None

    def __contains__(self, node):
        return node in self._out

    def __len__(self):
        return len(self._out)


class Pascal:
    """Binomials with a cached method."""

    def __init__(self, modulus=None):
        self.modulus = modulus

    @lru_cache(maxsize=None)
    def at(self, n, k):
        if n < 0:
            raise ValueError("n must not be negative")
        if k < 0 or k > n:
            return 0
        value = 1
        for i in range(min(k, n - k)):
            value = value * (n - i) // (i + 1)
        return value % self.modulus if self.modulus else value
