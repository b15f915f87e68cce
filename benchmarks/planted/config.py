"""Configuration tree with attribute access, layered defaults and a validating descriptor."""

import copy as _copy


class ConfigError(Exception):
    pass


class Config:
    """A tree of settings: config.server.port or config['server.port']."""

    def __init__(self, values=None, parent=None):
        self.__dict__["_values"] = {}
        self.__dict__["_parent"] = parent
        self.__dict__["_frozen"] = False
        if values:
            for key, value in values.items():
                self[key] = value

    def _lookup(self, name):
        if name in self._values:
            return self._values[name]
        if self._parent is not None:
            return self._parent._lookup(name)
        raise KeyError(name)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._lookup(name)
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, path):
        node = self
        for name in path.split("."):
            if not isinstance(node, Config):
                raise KeyError(path)
            node = node._lookup(name)
        return node

    def __setitem__(self, path, value):
        if self._frozen:
            raise ConfigError("frozen")
        head, _, rest = path.partition(".")
        if not head.isidentifier() or head.startswith("_"):
            raise ConfigError("bad name: %r" % (head,))
        if rest:
            child = self._values.get(head)
            if not isinstance(child, Config):
                child = self._values[head] = Config()
            child[rest] = value
        else:
            self._values[head] = Config(value) if isinstance(value, dict) else value

    def __delitem__(self, path):
        if self._frozen:
            raise ConfigError("frozen")
        head, _, rest = path.partition(".")
        if rest:
            child = self._values[head]
            if not isinstance(child, Config):
                raise KeyError(path)
            del child[rest]
        else:
            del self._values[head]

    def __contains__(self, path):
        try:
            self[path]
        except KeyError:
            return False
        return True

    def get(self, path, default=None):
        try:
            return self[path]
        except KeyError:
            return default

    def freeze(self):
        self.__dict__["_frozen"] = True
        for value in self._values.values():
            if isinstance(value, Config):
                value.freeze()

    def child(self, **overrides):
        """A layer over this one."""
        return Config(overrides, parent=self)

    def merge(self, other):
        """Take over all settings of another configuration."""
        for name, value in list(other._values.items()):
            mine = self._values.get(name)
            if isinstance(mine, Config) and isinstance(value, Config):
                mine.merge(value)
            elif isinstance(value, Config):
                self[name] = value.to_dict()
            else:
                self[name] = value

    def to_dict(self):
        return {name: value.to_dict() if isinstance(value, Config) else value for name, value in self._values.items()}

    def flatten(self, prefix=""):
        flat = {}
        for name, value in self._values.items():
            if isinstance(value, Config):
                flat.update(value.flatten(prefix + name + "."))
            else:
                flat[prefix + name] = value
        return flat

    def __eq__(self, other):
        if not isinstance(other, Config):
            return NotImplemented
        return self._values == other._values

    __hash__ = None

    def __repr__(self):
        return "Config(%r)" % (self.to_dict(),)


class Bounded:
    """Descriptor: an int within bounds."""

    def __init__(self, low, high, default):
        self.low = low
        self.high = high
        self.default = default

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__.get(self.name, self.default)

    def __set__(self, instance, value):
        if not isinstance(value, int):
            raise TypeError("%s must be an int" % self.name[1:])
        if not self.low <= value <= self.high:
            raise ValueError("%s must be in %d..%d" % (self.name[1:], self.low, self.high))
        instance.__dict__[self.name] = value


class Thermostat:
    target = Bounded(5, 30, 20)
    hysteresis = Bounded(0, 5, 1)

    def __init__(self, target=20):
        self.target = target
        self.current = 15
        self.heating = False
        self.switched = 0

    def measure(self, temperature):
        self.current = temperature
        wanted = self.heating
        if temperature <= self.target - self.hysteresis:
            wanted = True
        elif temperature >= self.target + self.hysteresis:
            wanted = False
        if wanted != self.heating:
            self.heating = wanted
            self.switched += 1
        return self.heating

    def boost(self, degrees=2):
        self.target = min(self.target + degrees, 30)
        return self.measure(self.current)
