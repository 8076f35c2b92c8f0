"""Random expressions: mostly well typed, over the variable `device` and all libraries."""

from dice import Dice

D = 'device.attributes["gpu.example.com"]'
C = 'device.capacity["gpu.example.com"]'

LEAVES = {
    "bool": ["true", "false", f"{D}.healthy", f"{D}.broken", "device.allowMultipleAllocations"],
    "int": ["0", "1", "-1", "2", "7", "42", "9223372036854775807", "-9223372036854775808", f"{D}.index",
            f"{D}.negative", "0x1F"],
    "uint": ["0u", "1u", "42u", "18446744073709551615u", "0xFFu"],
    "double": ["0.0", "1.5", "-2.25", "1e3", "1e-7", "123456789.0", "1.0"],
    "string": ['""', '"a"', '"gpu"', "'a100'", '"héllo"', '"a,b,c"', r'r"\d+"', f"{D}.model", "device.driver",
               f"{D}.empty", '"10.0.0.1"', '"40Gi"', '"1.2.3"', '"x\\ny"'],
    "bytes": ['b"abc"', 'b""', r'b"\xff\x00"', 'bytes("é")'],
    "duration": ['duration("1h")', 'duration("-1.5s")', 'duration("0s")', 'duration("90m")'],
    "timestamp": ['timestamp("2024-02-29T12:34:56.789Z")', 'timestamp("1970-01-01T00:00:00Z")',
                  "timestamp(1700000000)"],
    "quantity": ['quantity("40Gi")', 'quantity("500m")', 'quantity("1")', 'quantity("-2k")', f"{C}.memory", f"{C}.cores",
                 f"{C}.slice"],
    "semver": ['semver("1.2.3")', 'semver("1.2.3-rc.1")', 'semver("v2.0", true)', f"{D}.driverVersion"],
    "ints": ["[]", "[1, 2, 3]", "[3, 1, 2, 1]", f"{D}.ints", "[-1]", "lists.range(4)"],
    "strings": ["[]", '["a", "b"]', '["b", "a", "b"]', f"{D}.strings", '["x,y", ""]'],
    "map": ['{}', '{"a": 1, "b": 2}', '{"k": 0}', '{"model": 5}'],
    "optint": ["optional.none()", "optional.of(1)", '{"a": 1}[?"a"]', '{"a": 1}.?b', f"{D}.?index", f'{D}[?"nope"]'],
    "ip": ['ip("10.0.0.1")', 'ip("::1")', 'ip("fe80::1")', 'ip("2001:db8::")'],
    "cidr": ['cidr("10.0.0.0/8")', 'cidr("2001:db8::/32")', 'cidr("10.1.2.3/24")'],
    "url": ['url("https://example.com:8080/a/b?x=1&y=2")', 'url("/path/x?q=a%20b")', 'url("http://[::1]:80/")'],
    "dyn": [f"{D}.model", f"{D}.index", f"{D}.healthy", f"{D}.driverVersion", f"{D}.ints", f"{D}.nope", "dyn(1)", 'dyn("a")',
            "dyn(1.0)", "dyn([1])", "dyn({})", 'device.attributes["none"].x', 'dyn(quantity("1"))', "dyn(null)"],
}

RULES = {
    "bool": [
        "{bool} && {bool}", "{bool} || {bool}", "!{bool}", "({bool} ? {bool} : {bool})", "{int} == {int}", "{int} < {int}",
        "{int} >= {int}", "{uint} < {uint}", "{uint} > {int}", "{double} <= {double}", "{double} > {int}", "{string} == {string}",
        "{string} != {string}", "{string} < {string}", "{bytes} < {bytes}", "{timestamp} < {timestamp}", "{duration} >= {duration}",
        "{string}.contains({string})", "{string}.startsWith({string})", "{string}.endsWith({string})",
        '{string}.matches("[a-z]+[0-9]*")', "{int} in {ints}", "{string} in {strings}", "{string} in {map}",
        "{ints}.all(x, x {cmp} {int})", "{ints}.exists(x, x {cmp} {int})", "{ints}.exists_one(x, x {cmp} {int})",
        "{strings}.all(s, s.size() {cmp} {int})", "{map}.all(k, k != {string})", "{map}.exists(k, v, v > {int} && k != {string})",
        "{ints}.all(i, v, i <= v)", "{ints}.existsOne(i, v, v == i)", 'has({map}.a)', f"has({D}.model)", f"has({D}.nope)",
        f'"model" in {D}', "{dyn} == {dyn}", "{dyn} != {dyn}", "{dyn} > {dyn}", "{dyn} == {int}", "{dyn} == {string}",
        "{optint}.hasValue()", "{quantity}.isGreaterThan({quantity})", "{quantity}.isLessThan({quantity})",
        "{quantity} == {quantity}", "{quantity}.isInteger()", "isQuantity({string})", "{semver}.isLessThan({semver})",
        "{semver} == {semver}", "isSemver({string})", "isSemver({string}, {bool})", "{ints}.isSorted()",
        "sets.contains({ints}, {ints})", "sets.equivalent({ints}, {ints})", "sets.intersects({strings}, {strings})",
        "isIP({string})", "{cidr}.containsIP({ip})", "{cidr}.containsCIDR({cidr})", "{ip}.isLoopback()", "{ip} == {ip}",
        "{ip}.isGlobalUnicast()", "isCIDR({string})", "isURL({string})", "{ints} == {ints}", "{map} == {map}",
        "{dyn}.includes({dyn})", "cel.bind(b, {bool}, b && {bool})", "type({dyn}) == {typename}", "{dyn}",
        "format.dns1123Label().validate({string}).hasValue()", "bool({string})",
    ],
    "int": [
        "{int} + {int}", "{int} - {int}", "{int} * {int}", "{int} / {int}", "{int} % {int}", "-({int})", "({bool} ? {int} : {int})",
        "{string}.size()", "size({ints})", "{map}.size()", "{ints}[{index}]", '{map}["a"]', "{map}[{string}]", "{map}.a", "int({double})",
        "int({uint})", "int({string})", "int({duration})", "int({timestamp})", "{string}.indexOf({string})",
        "{string}.lastIndexOf({string})", "{string}.indexOf({string}, {index})", "{ints}.sum()", "{ints}.max()", "{ints}.min()",
        "{ints}.indexOf({int})", "{ints}.lastIndexOf({int})", "{quantity}.compareTo({quantity})", "sign({quantity})",
        "{quantity}.asInteger()", "{semver}.compareTo({semver})", "{semver}.major()", "{semver}.patch()", "{ip}.family()",
        "{cidr}.prefixLength()", "{timestamp}.getFullYear()", "{timestamp}.getDayOfYear()", "{timestamp}.getHours({zone})",
        "{timestamp}.getDayOfWeek()", "{duration}.getMinutes()", "{duration}.getMilliseconds()", "{optint}.orValue({int})",
        "{optint}.value()", "cel.bind(n, {int}, n + n)", "{ints}[?{index}].orValue({int})", "{map}.?a.orValue({int})",
    ],
    "uint": ["{uint} + {uint}", "{uint} * {uint}", "{uint} - {uint}", "{uint} / {uint}", "uint({int})", "uint({string})", "uint({double})"],
    "double": ["{double} + {double}", "{double} * {double}", "{double} / {double}", "double({int})", "double({string})", "-({double})",
               "{quantity}.asApproximateFloat()", "[{double}, {double}].max()"],
    "string": [
        "{string} + {string}", "({bool} ? {string} : {string})", "string({int})", "string({double})", "string({bool})", "string({uint})",
        "string({duration})", "string({timestamp})", "string({bytes})", "string({ip})", "string({cidr})", "{string}.charAt({index})",
        "{string}.lowerAscii()", "{string}.upperAscii()", "{string}.replace({string}, {string})",
        "{string}.replace({string}, {string}, {index})", "{string}.substring({index})", "{string}.substring({index}, {index})",
        "{string}.trim()", "{strings}.join()", "{strings}.join({string})", "strings.quote({string})", '{string}.find("[a-z]+")',
        "{strings}[{index}]", '"%s-%d".format([{string}, {int}])', '"%f %e".format([{double}, {double}])',
        '"%x %X %o %b".format([{int}, {string}, {int}, {int}])', '"%s".format([{ints}])', '"%s".format([{map}])',
        "{url}.getHost()", "{url}.getHostname()", "{url}.getPort()", "{url}.getScheme()", "{url}.getEscapedPath()",
        "cel.bind(t, {string}, t + t)", "optional.ofNonZeroValue({string}).orValue({string})",
    ],
    "bytes": ["{bytes} + {bytes}", "bytes({string})"],
    "duration": ["{duration} + {duration}", "{duration} - {duration}", "{timestamp} - {timestamp}", "duration({string})"],
    "timestamp": ["{timestamp} + {duration}", "{timestamp} - {duration}", "timestamp({string})", "timestamp({int})"],
    "quantity": ["{quantity}.add({quantity})", "{quantity}.sub({quantity})", "{quantity}.add({int})", "{quantity}.sub({int})", "quantity({string})"],
    "semver": ["semver({string})", "semver({string}, {bool})"],
    "ints": [
        "{ints} + {ints}", "{ints}.map(x, x * 2)", "{ints}.filter(x, x {cmp} {int})", "{ints}.map(x, x {cmp} {int}, x + 1)", "{ints}.sort()",
        "{ints}.slice({index}, {index})", "{ints}.reverse()", "{ints}.distinct()", "[{int}, {int}]", "{ints}.transformList(i, v, i + v)",
        "{ints}.transformList(i, v, v {cmp} {int}, v)", "[{ints}, {ints}].flatten()", "{map}.map(k, {map}[k])", "{ints}.sortBy(x, -x)",
        "[?{optint}, {int}]", "({bool} ? {ints} : {ints})", "{map}.transformList(k, v, v)",
    ],
    "strings": [
        "{strings} + {strings}", "{strings}.map(s, s + {string})", "{strings}.filter(s, s != {string})", "{strings}.sort()",
        "{string}.split({string})", "{string}.split({string}, {index})", '{string}.findAll("[a-z0-9]")', "{strings}.distinct()",
        "[{string}, {string}]", "{map}.map(k, k)",
    ],
    "map": [
        '{{"a": {int}, {string}: {int}}}', "{strings}.distinct().transformMap(i, s, i)", "{map}.transformMap(k, v, v + {int})",
        "{map}.transformMap(k, v, v {cmp} {int}, v)", "{strings}.transformMapEntry(i, s, {{s: i}})", '{{?"o": {optint}}}',
    ],
    "optint": ["optional.of({int})", "optional.ofNonZeroValue({int})", "{optint}.or({optint})", "{optint}.optMap(o, o + {int})",
               "{optint}.optFlatMap(o, {optint})", "{map}[?{string}]", "{map}.?b", "{ints}[?{index}]", "{ints}.first()", "{ints}.last()"],
    "ip": ["ip({string})", "{cidr}.ip()"],
    "cidr": ["{cidr}.masked()", "cidr({string})"],
    "url": ["url({string})"],
    "dyn": ["dyn({int})", "dyn({string})", "dyn({ints})", "{dyn} + {dyn}", "{dyn}[{index}]", "({bool} ? {dyn} : {dyn})", "dyn({map})"],
}
CHOICES = {
    "cmp": ["<", "<=", ">", ">=", "==", "!="],
    "index": ["0", "1", "2", "-1", "3", "10"],
    "zone": ['"UTC"', '"+02:00"', '"-08:30"'],
    "typename": ["int", "string", "bool", "list", "map", "uint", "null_type", "kubernetes.Quantity", "google.protobuf.Timestamp"],
}
TYPES = list(RULES)


def make(dice, kind, depth):
    if kind in CHOICES:
        return dice.pick(CHOICES[kind])
    if dice.chance(2):  # an ill-typed part now and then
        kind = dice.pick(TYPES)
    if depth <= 0 or kind not in RULES or dice.chance(25):
        return dice.pick(LEAVES[kind])
    rule = dice.pick(RULES[kind])
    out = []
    rest = rule
    while rest:
        if rest.startswith("{{") or rest.startswith("}}"):
            out.append(rest[0])
            rest = rest[2:]
        elif rest.startswith("{") and (end := rest.find("}")) > 0 and rest[1:end] in (*TYPES, *CHOICES):
            part = make(dice, rest[1:end], depth - 1)
            tail = rest[end + 1 :]
            if tail.startswith((".", "[")) and not part.endswith((")", "]", "}", '"')) and " " in part:
                part = f"({part})"
            out.append(part)
            rest = tail
        else:
            out.append(rest[0])
            rest = rest[1:]
    return "".join(out)


def expression(seed):
    dice = Dice(f"expression {seed}")
    kind = "bool" if dice.chance(40) else dice.pick(TYPES)
    return make(dice, kind, 1 + dice.below(4))


TOKENS = ["(", ")", "[", "]", "{", "}", ",", ".", ":", "?", "+", "-", "!", "&&", "||", "==", "in", "'", '"', "0", "1u", "1.5", "x", "null",
          "true", "for", "#", "\\", "é", ".?", "//", " ", "@", "$", "b'", "r'", "0x", "1e", "'''", "=", "&", "|", "%", "int", "has("]


def mutated(seed):
    """A good expression with a few characters or tokens taken out, put in or doubled."""
    dice = Dice(f"mutated {seed}")
    text = make(dice, dice.pick(["bool", "int", "string", "ints"]), 2)
    for _ in range(1 + dice.below(3)):
        at = dice.below(len(text) + 1)
        action = dice.below(3)
        if action == 0 and text:
            text = text[:at] + text[at + 1 + dice.below(3) :]
        elif action == 1:
            text = text[:at] + dice.pick(TOKENS) + text[at:]
        else:
            end = at + dice.below(6)
            text = text[:end] + text[at:]
    return text
