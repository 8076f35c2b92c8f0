"""Random choices that are the same on every machine and in every Python version (SplitMix64)."""

MASK = (1 << 64) - 1


class Dice:
    def __init__(self, seed):
        self.state = 0xCBF29CE484222325
        for byte in seed.encode():
            self.state = ((self.state ^ byte) * 0x100000001B3) & MASK

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def between(self, low, high):
        """An integer from low to high, both included."""
        return low + self.bits() % (high - low + 1)

    def chance(self, percent):
        return self.bits() % 100 < percent

    def pick(self, choices):
        return choices[self.bits() % len(choices)]

    def maybe(self, percent, value):
        """value() with the given chance, else None."""
        return value() if self.chance(percent) else None

    def shuffled(self, items):
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = self.bits() % (i + 1)
            result[i], result[j] = result[j], result[i]
        return result

    def some(self, items, low, high):
        """Between low and high different items, in their order."""
        count = min(len(items), self.between(low, high))
        chosen = set(self.shuffled(range(len(items)))[:count])
        return [item for i, item in enumerate(items) if i in chosen]
