"""Writes plain Python values as YAML in one fixed layout, with nothing but the standard library.

Only what a manifest needs: dicts, lists, strings, integers and booleans. The layout is a pure
function of the value, so equal schemas give equal bytes on every machine.
"""

import json
import re
import textwrap

WIDTH = 96

# A scalar may stand unquoted when no YAML reader, old or new, takes it for something else.
_PLAIN = re.compile(r"[A-Za-z./][A-Za-z0-9_./ -]*(?<! )\Z")
_RESERVED = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def dump(value):
    """The YAML document for a dict, ending in a newline."""
    return "\n".join(_block(value, 0)) + "\n"


def _block(value, indent):
    pad = " " * indent
    if isinstance(value, dict):
        for key, item in value.items():
            head = f"{pad}{_scalar(key)}:"
            if isinstance(item, dict) and item:
                yield head
                yield from _block(item, indent + 2)
            elif isinstance(item, list) and item:
                yield head
                yield from _block(item, indent)
            else:
                yield from _leaf(head, item, indent + 2)
    else:
        for item in value:
            if isinstance(item, dict) and item:
                lines = list(_block(item, indent + 2))
                lines[0] = f"{pad}- {lines[0].lstrip()}"
                yield from lines
            else:
                yield from _leaf(f"{pad}-", item, indent + 2)


def _leaf(head, value, indent):
    one_line = f"{head} {_scalar(value)}"
    if isinstance(value, str) and len(one_line) > WIDTH and _foldable(value):
        yield f"{head} >-"
        width = max(40, WIDTH - indent)
        for line in textwrap.wrap(value, width, break_long_words=False, break_on_hyphens=False):
            yield " " * indent + line
    else:
        yield one_line


def _foldable(text):
    """Folding loses nothing only when words are parted by single blanks."""
    return " ".join(text.split()) == text


def _scalar(value):
    if isinstance(value, str) and _PLAIN.match(value) and value.lower() not in _RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)
