"""Expressions written by hand, one family per part of the language."""

D = 'device.attributes["gpu.example.com"]'
C = 'device.capacity["gpu.example.com"]'


def lines(text):
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


LITERALS = lines(r"""
1
-1
--1
0x7F
-0x10
9223372036854775807
9223372036854775808
-9223372036854775808
18446744073709551615u
18446744073709551616u
1.5
.5
1e400
1e-400
1.0e3
123456789.125
1e21
1e-5
true
null
'single'
"double"
'''triple 'quoted' text'''
\"\"\"a"b\"\"\"
r'raw \n \d'
R"\\"
'\a\b\f\n\r\t\v\\\'\"\`\?'
'\x41\u00e9\U0001F600\101'
'\q'
'\u12'
'\ud800'
'\400'
b'\xff\x00abc'
b'\u0041'
b'é'
rb'\x'
b"\377"
[]
[1, 2, 3]
[1, 2, 3,]
[,]
{}
{'a': 1}
{'a': 1, 'b': 2,}
{1: 'x', 2: 'y'}
{true: 1u}
{'a': 1, 'a': 2}
[1, 'a']
[1, 1.0]
{'a': 1, 'b': 'c'}
[dyn(1), dyn('a')]
[1, dyn('a')]
[[1], []]
[null, null]
[1, null]
1 // a comment
'a' + // comment
a.b.C{}
google.protobuf.Timestamp{}
int
list
type(1)
type(type(1))
type([]) == list
type(device.capacity)
.device.driver
for
a.for
1.size()
'unterminated
'a
""").copy()
LITERALS = [line.replace('\\"\\"\\"', '"""') for line in LITERALS]

OPERATORS = lines(r"""
1 + 2 * 3
(1 + 2) * 3
7 / 2
-7 / 2
7 % 3
-7 % 3
7 % -3
1 / 0
1 % 0
1u / 0u
1.0 / 0.0
-1.0 / 0.0
0.0 / 0.0
9223372036854775807 + 1
-9223372036854775808 - 1
9223372036854775807 * 2
-9223372036854775808 / -1
-9223372036854775808 % -1
-(-9223372036854775808)
18446744073709551615u + 1u
0u - 1u
18446744073709551615u * 2u
1 + 1u
1 + 1.0
'a' + 'b'
b'a' + b'b'
[1] + [2]
'a' + 1
!true
!!true
!1
-'a'
-1u
1 == 1
1 == 1.0
1 == 1u
dyn(1) == 1.0
dyn(1) == 1u
dyn(1u) == 1.0
dyn(1) == 'a'
dyn(9007199254740993) == 9007199254740992.0
0.0 / 0.0 == 0.0 / 0.0
dyn(null) == null
null == null
1 < 2
1 < 2u
1 < 1.5
2u > 1.5
-1 < 0u
1.0 <= 1
'a' < 'b'
'B' < 'a'
b'a' < b'b'
false < true
true > false
null < null
[1] < [2]
'a' < 1
dyn('a') < 1
0.0 / 0.0 < 1.0
1 < 0.0 / 0.0
true && false
true || 1 / 0 == 1
1 / 0 == 1 || true
false && 1 / 0 == 1
1 / 0 == 1 && false
1 / 0 == 1 && true
1 / 0 == 1 || false
dyn(1) && true
dyn(1) && false
dyn('x') || true
false || dyn('x')
1 && true
true ? 1 : 2
false ? 1 / 0 : 2
true ? 1 : 'a'
1 ? 2 : 3
dyn(1) ? 2 : 3
1 / 0 == 1 ? 2 : 3
true ? false ? 1 : 2 : 3
1 in [1, 2]
3 in [1, 2]
1 in []
1.0 in [1, 2]
dyn(1.0) in [1, 2]
dyn(1u) in [1, 2]
'a' in ['a', 'b']
'a' in {'a': 1}
1 in {'a': 1}
1 in 'abc'
[1] in [[1], [2]]
{'a': 1} == {'a': 1}
{'a': 1, 'b': 2} == {'b': 2, 'a': 1}
[1, 2] == [1, 2]
[1, 2] == [2, 1]
[1] == [1.0]
dyn([1]) == [1.0]
1 == 2 == false
1 < 2 < 3
[1, 2, 3][1]
[1, 2, 3][3]
[1, 2, 3][-1]
[1][0u]
[1][dyn(0.0)]
[1][dyn(0.5)]
[1][dyn('a')]
[1]['a']
{'a': 1}['a']
{'a': 1}['b']
{'a': 1}.a
{'a': 1}.b
{1: 'a'}[1]
{1: 'a'}[dyn(1.0)]
{1: 'a'}[dyn(1u)]
{1u: 'a'}[dyn(1)]
{'a': 1}[dyn(1)]
{'a': 1}[dyn([])]
'abc'[0]
1.a
dyn(1).a
dyn('a').b.c
has({'a': 1}.a)
has({'a': 1}.b)
has(dyn(1).a)
has({'a': {'b': 1}}.a.b)
has({'a': {'b': 1}}.c.b)
has('a')
has(a)
has()
""")

CONVERSIONS = lines(r"""
int(1.9)
int(-1.9)
int(1u)
int(18446744073709551615u)
int('42')
int('-42')
int('+42')
int('0x10')
int('')
int('a')
int('9223372036854775808')
int(9.3e18)
int(1e20)
int(duration('1s'))
int(timestamp('1970-01-01T00:01:00Z'))
int(true)
int(dyn('7'))
int(dyn('x'))
int(dyn(true))
int(dyn([]))
uint(1)
uint(-1)
uint(1.5)
uint(-0.5)
uint('7')
uint('-7')
uint(dyn(-1))
double(1)
double('1.5')
double('1e3')
double('NaN')
double('inf')
double('-Infinity')
double('x')
double(dyn('x'))
double(9223372036854775807)
string(1)
string(-1)
string(1u)
string(1.0)
string(1.5)
string(1e6)
string(100000.0)
string(123456789.0)
string(1e21)
string(1e-7)
string(true)
string('a')
string(b'abc')
string(b'\xff')
string(dyn(b'\xff'))
string(duration('1h30m'))
string(duration('1.5s'))
string(timestamp('2023-01-02T03:04:05.678Z'))
string(null)
string([])
string(dyn([]))
bool('true')
bool('True')
bool('1')
bool('yes')
bool(dyn('yes'))
bool(1)
bytes('é')
bytes(b'a')
type(1)
type('a')
type(null)
type(1u) == uint
type(dyn(1)) == int
type(duration('1s'))
type(timestamp(0))
type({})
type(optional.none())
type(quantity('1'))
type(semver('1.0.0'))
type(ip('::'))
type(cidr('::/0'))
type(url('/'))
type(format.uuid())
dyn(1) + 1
dyn('a') + 'b'
dyn('a') + 1
dyn(1) + dyn(1.0)
dyn(1) - dyn('a')
duration('1h')
duration('1h2m3.5s')
duration('100ms')
duration('-5m')
duration('1us')
duration('0')
duration('1')
duration('')
duration('1d')
duration('.5h')
duration('9223372036.854775807s')
duration('9223372037s')
duration(dyn('x'))
duration(duration('1s'))
duration('1h') + duration('30m')
duration('1h') - duration('90m')
-duration('1s')
duration('1h').getHours()
duration('90m').getHours()
duration('90m').getMinutes()
duration('90s').getSeconds()
duration('1.5s').getMilliseconds()
duration('-1.5s').getMilliseconds()
timestamp('2024-02-29T12:34:56Z')
timestamp('2024-02-29T12:34:56.789+02:00')
timestamp('2023-02-29T00:00:00Z')
timestamp('2024-01-01')
timestamp('2024-01-01T25:00:00Z')
timestamp('0001-01-01T00:00:00Z')
timestamp('9999-12-31T23:59:59.999999999Z')
timestamp('9999-12-31T23:59:59Z') + duration('1s')
timestamp('0001-01-01T00:00:00Z') - duration('1s')
timestamp(0)
timestamp(-1)
timestamp(253402300800)
timestamp(dyn(253402300800))
timestamp('2024-01-01T00:00:00Z') + duration('24h')
timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z')
timestamp('9999-01-01T00:00:00Z') - timestamp('0001-01-01T00:00:00Z')
timestamp('2024-01-01T00:00:00Z') < timestamp('2024-01-01T00:00:01Z')
timestamp('2024-01-01T00:00:00Z') == timestamp('2024-01-01T01:00:00+01:00')
timestamp('2024-02-29T12:34:56.789Z').getFullYear()
timestamp('2024-02-29T12:34:56.789Z').getMonth()
timestamp('2024-02-29T12:34:56.789Z').getDate()
timestamp('2024-02-29T12:34:56.789Z').getDayOfMonth()
timestamp('2024-02-29T12:34:56.789Z').getDayOfWeek()
timestamp('2024-02-29T12:34:56.789Z').getDayOfYear()
timestamp('2024-02-29T12:34:56.789Z').getHours()
timestamp('2024-02-29T12:34:56.789Z').getMinutes()
timestamp('2024-02-29T12:34:56.789Z').getSeconds()
timestamp('2024-02-29T12:34:56.789Z').getMilliseconds()
timestamp('2024-02-29T23:34:56Z').getDate('+02:00')
timestamp('2024-02-29T23:34:56Z').getHours('-08:30')
timestamp('2024-02-29T23:34:56Z').getHours('UTC')
timestamp('2024-02-29T23:34:56Z').getHours('x')
timestamp('1969-12-31T23:59:59Z').getDayOfWeek()
timestamp('0001-01-01T00:00:00Z').getDayOfWeek()
""")

STRINGS = lines(r"""
'hello'.size()
'héllo'.size()
size('')
'hello'.contains('ell')
'hello'.contains('')
'hello'.startsWith('he')
'hello'.endsWith('lo')
'hello'.endsWith('x')
'hello'.matches('h.*o')
'hello'.matches('^ell')
'hello'.matches('[')
matches('hello', 'l+')
'x'.matches(device.driver)
'x'.matches('(' + device.driver)
'héllo'.charAt(1)
'hello'.charAt(5)
'hello'.charAt(6)
'hello'.charAt(-1)
'hello'.indexOf('l')
'hello'.indexOf('l', 3)
'hello'.indexOf('l', 10)
'hello'.indexOf('')
'hello'.indexOf('', 9)
'hello'.indexOf('l', -1)
'héllo'.indexOf('l')
'hello'.lastIndexOf('l')
'hello'.lastIndexOf('l', 2)
'hello'.lastIndexOf('')
'hello'.lastIndexOf('z')
'hello'.lastIndexOf('o', 5)
'a'.lastIndexOf('abc')
'HeLLo É'.lowerAscii()
'HeLLo é'.upperAscii()
'banana'.replace('an', 'x')
'banana'.replace('an', 'x', 1)
'banana'.replace('an', 'x', 0)
'banana'.replace('an', 'x', -1)
'ab'.replace('', '-')
'ab'.replace('', '-', 2)
'a,b,c'.split(',')
'a,b,c'.split(',', 2)
'a,b,c'.split(',', 0)
'a,b,c'.split(',', -1)
'a,b,c'.split(',', 1)
'abc'.split('')
'abc'.split('', 2)
''.split(',')
''.split('')
'hello'.substring(2)
'hello'.substring(1, 3)
'hello'.substring(3, 1)
'hello'.substring(6)
'hello'.substring(0, 9)
'hello'.substring(-1)
'  a b '.trim()
'\u00a0a\u2003'.trim()
''.trim()
['a', 'b'].join()
['a', 'b'].join(', ')
[].join()
[].join(',')
[dyn(1)].join()
strings.quote('a"b\n')
strings.quote('é')
'abc'.reverse()
'%s'.format(['a'])
'%s %d'.format(['a', 1])
'%s %d'.format([dyn('a'), dyn(1)])
'%d'.format([1])
'%d'.format([1u])
'%d'.format(['a'])
'%d'.format([dyn('a')])
'%d'.format([])
'%s'.format([1, 2])
'%%'.format([])
'%'.format([])
'%q'.format([1])
'%f'.format([1.5])
'%.2f'.format([1234567.891])
'%.0f'.format([2.5])
'%f'.format([1])
'%f'.format([dyn('NaN')])
'%f'.format([dyn('Infinity')])
'%e'.format([1234.5])
'%.2e'.format([0.00012])
'%x'.format([255])
'%X'.format([255])
'%x'.format(['hi'])
'%x'.format([b'\xff\x01'])
'%x'.format([-1])
'%o'.format([8])
'%b'.format([5])
'%b'.format([-5])
'%b'.format([true])
'%s'.format([[1, 2]])
'%s'.format([['a', 'b']])
'%s'.format([{'a': 1}])
'%s'.format([[1.5]])
'%s'.format([1.5])
'%s'.format([null])
'%s'.format([duration('1h')])
'%s'.format([[duration('1h')]])
'%s'.format([timestamp(0)])
'%s'.format([b'abc'])
'%s'.format([type(1)])
'%s'.format([quantity('1')])
'%s'.format([dyn(quantity('1'))])
'abc 123'.find('[0-9]+')
'abc'.find('[0-9]+')
'abc'.find('(')
'abc'.find('(' + device.driver)
'123 abc 456'.findAll('[0-9]+')
'123 abc 456'.findAll('[0-9]+', 1)
'123 abc 456'.findAll('[0-9]+', 0)
'aaa'.findAll('a*')
'baab'.findAll('a*')
'abc'.findAll('')
'é1'.findAll('')
""")

MACROS = lines(r"""
[1, 2, 3].all(x, x > 0)
[1, 2, 3].all(x, x > 1)
[].all(x, false)
[1, 2, 3].exists(x, x == 2)
[].exists(x, true)
[1, 2, 3].exists_one(x, x > 2)
[1, 2, 3].exists_one(x, x > 1)
[1, 2, 3].existsOne(x, x > 2)
[1, 2, 3].map(x, x * 2)
[1, 2, 3].map(x, x > 1, x * 2)
[1, 2, 3].filter(x, x > 1)
[[1, 2], [3]].map(l, l.map(x, x + 1))
{'a': 1, 'b': 2}.all(k, k != 'c')
{'a': 1}.map(k, k)
{'a': 1}.filter(k, true)
[1, 0].all(x, 1 / x > 0)
[0, 1].all(x, 1 / x > 5)
[0, 1].exists(x, 1 / x == 1)
[0].exists(x, 1 / x == 1)
[0, 1].exists_one(x, 1 / x == 1)
[1, 0].map(x, 1 / x)
[1, 2].all(x, x)
[dyn(1), dyn(true)].all(x, x)
'abc'.all(x, true)
1.map(x, x)
dyn(1).all(x, true)
dyn('a').map(x, x)
dyn([1, 2]).map(x, x + 1)
[1].all(x.y, true)
[1].all('x', true)
[1].map(x, x, x, x)
[1].map(1, x)
[1].filter(x)
[1].all(__result__, true)
[1].all(x, y == 1)
[1, 2].all(i, v, i < v)
['a', 'b'].exists(i, v, i == 1 && v == 'b')
[1, 2].exists_one(i, v, v == 2)
[1, 2].existsOne(i, v, v == 2)
[1, 2].all(i, i, true)
[1, 2, 3].transformList(i, v, i * v)
[1, 2, 3].transformList(i, v, i > 0, v)
[1, 2].transformMap(i, v, v * 10)
[1, 2].transformMap(i, v, i > 0, v)
{'a': 1}.transformList(k, v, k + string(v))
{'a': 1}.transformMap(k, v, v + 1)
{'a': 1}.transformMap(k, v, v > 1, v)
{'a': 1}.transformMapEntry(k, v, {string(v): k})
{'a': 1, 'b': 1}.transformMapEntry(k, v, {v: k})
['x'].transformMapEntry(i, v, v == 'x', {v: i})
{'a': 1}.all(k, v, k == 'a' && v == 1)
{'a': 1}.exists(k, v, v == 2)
{'a': 1, 'b': 2}.exists_one(k, v, v == 2)
dyn(1).transformList(k, v, v)
cel.bind(x, 1, x + x)
cel.bind(x, 1 / 0, true)
cel.bind(x, 1 / 0, x == 1 || true)
cel.bind(x, [1, 2], cel.bind(y, x[0], y + x[1]))
cel.bind(x.y, 1, 2)
cel.bind(1, 1, 2)
cel.bind(x, [1, 2, 3].map(i, i * i), x.all(i, i in x))
[1, 2].map(i, cel.bind(j, i, j * j))
optional.of(1)
optional.none()
optional.of(1).value()
optional.none().value()
optional.of(1).hasValue()
optional.none().hasValue()
optional.none().orValue(3)
optional.of(1).orValue(1 / 0)
optional.none().or(optional.of(2))
optional.of(1).or(optional.of(2)).value()
optional.of(1) == optional.of(1)
optional.none() == optional.of(1)
optional.ofNonZeroValue(0)
optional.ofNonZeroValue('')
optional.ofNonZeroValue([])
optional.ofNonZeroValue(1)
optional.ofNonZeroValue(false)
optional.ofNonZeroValue(null)
optional.of(null)
{'a': 1}.?a
{'a': 1}.?b
{'a': {'b': 2}}.?a.b
{'a': {'b': 2}}.?a.c
{'a': {'b': 2}}.?x.b.c
{'a': 1}[?'a']
{'a': 1}[?'b'].orValue(0)
[1, 2][?1]
[1, 2][?2]
[1, 2][?-1].hasValue()
optional.of([1])[0]
optional.of({'a': 1}).a
optional.of({'a': 1}).?b
[?optional.of(1), ?optional.none(), 2]
{?'a': optional.of(1), ?'b': optional.none()}
[?1]
[?dyn(1)]
{?'a': 1}
optional.of(2).optMap(x, x * 2)
optional.none().optMap(x, x * 2)
optional.of(2).optFlatMap(x, optional.of(x))
optional.of(2).optFlatMap(x, optional.none())
optional.of(2).optFlatMap(x, x)
optional.of(1).optMap(1, 2)
has({'a': {'b': 1}}.?a.b)
optional.of(1) + 1
dyn(1).orValue(2)
dyn(1).hasValue()
[1, 2].first()
[].first().hasValue()
[1, 2].last().value()
[optional.of(1), optional.none()].unwrapOpt()
optional.unwrap([optional.of(1)])
""")

LISTS = lines(r"""
[1, 2, 3].isSorted()
[2, 1].isSorted()
[].isSorted()
['a', 'b'].isSorted()
[1, 2, 3].sum()
[].sum()
[1.5, 2.5].sum()
[duration('1s'), duration('2s')].sum()
[9223372036854775807, 1].sum()
['a'].sum()
[3, 1, 2].min()
[3, 1, 2].max()
[].min()
['b', 'a'].min()
[dyn(1), dyn('a')].max()
[1, 2, 2, 3].indexOf(2)
[1, 2, 2, 3].lastIndexOf(2)
[1].indexOf(5)
['a'].indexOf('a')
[3, 1, 2].sort()
['b', 'a'].sort()
[].sort()
[dyn(2), dyn('a')].sort()
[[1]].sort()
[1, 2, 3, 4].slice(1, 3)
[1, 2].slice(0, 5)
[1, 2].slice(-1, 1)
[1, 2].slice(1, 0)
[[1, 2], [3]].flatten()
[[[1]], [[2]]].flatten()
[[[1]], [[2]]].flatten(2)
[[1]].flatten(-1)
[1, 2].flatten()
[1, 2, 3].reverse()
[1, 2, 1, 3].distinct()
[dyn(1), dyn(1.0), dyn(1u)].distinct()
lists.range(4)
lists.range(0)
lists.range(-1)
lists.range(1000000)
lists.range(100000000)
['bb', 'a', 'ccc'].sortBy(s, s.size())
[1, 2, 3].sortBy(x, -x)
[1].sortBy(x, [x])
[1, 2, 3].includes(2)
[1, 2, 3].includes(5)
'a'.includes('a')
1.includes(1)
sets.contains([1, 2, 3], [2, 1])
sets.contains([1], [2])
sets.contains([], [])
sets.equivalent([1, 2, 2], [2, 1])
sets.intersects([1, 2], [2, 3])
sets.intersects([], [1])
sets.contains([1], ['a'])
lists.range(100).map(x, x * x).filter(x, x % 2 == 0).size()
lists.range(300).all(x, lists.range(300).all(y, x + y >= 0))
""")

LIBRARIES = lines(r"""
quantity('1')
quantity('40Gi') == quantity('40960Mi')
quantity('1k') == quantity('1000')
quantity('1.5Gi')
quantity('500m')
quantity('0.5')
quantity('1e3')
quantity('1E3')
quantity('1n')
quantity('0.1n')
quantity('-1')
quantity('+1')
quantity('')
quantity('a')
quantity('1 Gi')
quantity('1gi')
quantity('-')
quantity('.')
quantity('1.')
quantity('.5')
quantity('1e')
quantity('0')
quantity('00')
quantity('9Ei')
quantity('100Ei')
quantity('-100Ei')
quantity('123456789012345678901234567890')
isQuantity('1Gi')
isQuantity('x')
isQuantity('1.2.3')
quantity('1Gi').isGreaterThan(quantity('1G'))
quantity('1').isLessThan(quantity('2'))
quantity('1').compareTo(quantity('1000m'))
quantity('1').compareTo(quantity('2'))
quantity('1') < quantity('2')
quantity('1').sign()
sign(quantity('-5'))
sign(quantity('0'))
quantity('1').asInteger()
quantity('1.5').asInteger()
quantity('1500m').asInteger()
quantity('2k').asInteger()
quantity('1Gi').isInteger()
quantity('1.0').isInteger()
quantity('1.5Gi').isInteger()
quantity('1000m').isInteger()
quantity('500m').add(quantity('500m')).isInteger()
quantity('1').add(quantity('2'))
quantity('1').add(2)
quantity('1').sub(quantity('500m'))
quantity('1').sub(2)
quantity('1').add('2')
quantity('1.5').asApproximateFloat()
quantity('100m').asApproximateFloat()
quantity('40Gi').asApproximateFloat()
quantity('1e10').asApproximateFloat()
quantity('1').x
quantity('1') == 1
quantity('1') == dyn(1)
dyn(1) == quantity('1')
[quantity('1')] == [quantity('1000m')]
quantity('1') in [quantity('1000m')]
semver('1.2.3')
semver('1.2.3-alpha.1+build.5')
semver('1.2')
semver('v1.2.3')
semver('01.2.3')
semver('1.2.3-01')
semver('1.2.3-')
semver('')
semver('v1.2', true)
semver('1', true)
semver('01.002.3', true)
semver('1.2-rc1', true)
semver('1.2.3-rc1', true)
semver('v1.2.3', false)
isSemver('1.2.3')
isSemver('1.2')
isSemver('v1.2', true)
semver('1.2.3').major()
semver('1.2.3').minor()
semver('1.2.3').patch()
semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1'))
semver('1.2.3-rc.1').isLessThan(semver('1.2.3-rc.2'))
semver('1.2.3-rc.2').compareTo(semver('1.2.3-rc.10'))
semver('1.0.0-1').compareTo(semver('1.0.0-alpha'))
semver('1.0.0-alpha').compareTo(semver('1.0.0-alpha.1'))
semver('1.0.0+a') == semver('1.0.0+b')
semver('1.0.0') < semver('2.0.0')
semver('1.2.3') == 'x'
semver('99999999999999999999.0.0')
ip('10.0.0.1')
ip('::1')
ip('2001:DB8::1')
ip('2001:db8:0:0:1:0:0:1')
ip('::ffff:1.2.3.4')
ip('::1.2.3.4')
ip('1.2.3')
ip('1.2.3.256')
ip('01.2.3.4')
ip('fe80::1%eth0')
ip('1:2:3:4:5:6:7:8:9')
ip('1::2::3')
ip(':1')
ip('')
isIP('10.0.0.1')
isIP('x')
ip.isCanonical('10.0.0.1')
ip.isCanonical('2001:DB8::1')
ip.isCanonical('x')
ip('10.0.0.1').family()
ip('::1').family()
ip('0.0.0.0').isUnspecified()
ip('127.0.0.1').isLoopback()
ip('::1').isLoopback()
ip('224.0.0.1').isLinkLocalMulticast()
ip('ff02::1').isLinkLocalMulticast()
ip('169.254.1.1').isLinkLocalUnicast()
ip('fe80::1').isLinkLocalUnicast()
ip('8.8.8.8').isGlobalUnicast()
ip('10.0.0.1').isGlobalUnicast()
ip('255.255.255.255').isGlobalUnicast()
ip('ff00::1').isGlobalUnicast()
ip('10.0.0.1') == ip('10.0.0.1')
ip('::1') != ip('::2')
ip('10.0.0.1') == dyn('10.0.0.1')
string(ip('2001:db8:0:0:1:0:0:1'))
cidr('10.0.0.0/8')
cidr('10.1.2.3/8')
cidr('10.0.0.0')
cidr('10.0.0.0/33')
cidr('10.0.0.0/08')
cidr('x/8')
isCIDR('10.0.0.0/8')
isCIDR('10.0.0.0/-1')
cidr('10.0.0.0/8').containsIP('10.1.2.3')
cidr('10.0.0.0/8').containsIP(ip('11.0.0.0'))
cidr('10.0.0.0/8').containsIP('::1')
cidr('10.0.0.0/8').containsIP('x')
cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')
cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))
cidr('10.0.0.0/8').containsCIDR('x')
cidr('10.1.2.3/8').ip()
cidr('10.1.2.3/8').masked()
cidr('10.1.2.3/8').prefixLength()
string(cidr('10.1.2.3/8'))
cidr('::/0').containsIP('::1')
url('https://user:pw@example.com:8080/a%20b/c?x=1&y=2#frag')
url('https://example.com:8080/p').getScheme()
url('HTTPS://example.com:8080/p').getScheme()
url('https://example.com:8080/p').getHost()
url('https://example.com:8080/p').getHostname()
url('https://example.com:8080/p').getPort()
url('https://example.com/p').getPort()
url('https://[::1]:80/p').getHostname()
url('https://[::1]:80/p').getHost()
url('https://example.com/a b').getEscapedPath()
url('https://example.com/a%20b').getEscapedPath()
url('https://example.com').getEscapedPath()
url('/a/b?x=1').getHost()
url('/a/b?x=1&x=2&y=%20').getQuery()
url('/a?x=1;y=2&z=%zz&ok=1').getQuery()
url('/a?').getQuery()
url('mailto:a@b').getScheme()
url('a/b')
url('')
url('http://a:b/')
url('http://a b/')
url('%zz')
url('://x')
url('1http://x')
url('/a') == url('/a')
isURL('https://example.com')
isURL('../x')
isURL('*')
format.dns1123Label().validate('my-name')
format.dns1123Label().validate('My.Name')
format.dns1123Label().validate('a.b')
format.dns1123Label().validate('')
format.dns1123Subdomain().validate('a.b-c.d')
format.dns1123Subdomain().validate('a..b')
format.dns1035Label().validate('1a')
format.qualifiedName().validate('example.com/MyName')
format.qualifiedName().validate('a/b/c')
format.qualifiedName().validate('/x')
format.qualifiedName().validate('X/')
format.dns1123LabelPrefix().validate('my-name-')
format.dns1123SubdomainPrefix().validate('a.b-')
format.dns1035LabelPrefix().validate('a-')
format.labelValue().validate('a_b.c')
format.labelValue().validate('')
format.labelValue().validate('-a')
format.uri().validate('http://a/b')
format.uri().validate('a b')
format.uuid().validate('123e4567-e89b-12d3-a456-426614174000')
format.uuid().validate('123E4567e89b12d3a456426614174000')
format.uuid().validate('x')
format.byte().validate('aGVsbG8=')
format.byte().validate('aGVsbG8')
format.byte().validate('')
format.date().validate('2024-02-29')
format.date().validate('2023-02-29')
format.datetime().validate('2024-02-29T12:00:00Z')
format.datetime().validate('2024-02-29T12:00:00.5+01:00')
format.datetime().validate('2024-02-29 12:00:00Z')
format.named('uuid')
format.named('nope')
format.uuid() == format.uuid()
format.uuid() == format.date()
""")

DEVICE = lines(f"""
device.driver == "gpu.example.com"
device.driver
device.allowMultipleAllocations
device
device.name == "a"
device.driver == d.io
device.attributes
{D}.model == "a100"
{D}["model"] == "a100"
{D}.model
{D}.index
{D}.index > 2
{D}.index > 2u
{D}.index > 2.5
{D}.index > "2"
{D}.index == "3"
{D}.index + 1 == 4
{D}.index + "x"
{D}.model + "x"
{D}.model > "a"
{D}.model.startsWith("a")
{D}.index.startsWith("a")
{D}.model.x
{D}.healthy && !{D}.broken
{D}.model && true
{D}.nope
{D}.nope == 1
{D}.nope == 1 || true
{D}.nope == 1 && {D}.healthy
{D}.?nope.orValue(7) == 7
{D}.?model.orValue("x")
{D}[?"model"].orValue("x") == "a100"
{D}[?"nope"].hasValue()
device.attributes[?"gpu.example.com"].?model.hasValue()
device.attributes[?"none"].?model.hasValue()
device.attributes[?"none"].hasValue()
device.attributes["none"]
device.attributes["none"].x
device.attributes.none
"none" in device.attributes
"gpu.example.com" in device.attributes
"model" in {D}
"nope" in {D}
has({D}.model)
has({D}.nope)
has(device.attributes.none)
has(device.attributes.none.x)
has(device.driver)
has(device.nope)
device.attributes[device.driver].model == "a100"
device.attributes["resource.kubernetes.io"].pcieRoot.endsWith(":17")
{D}.driverVersion.isGreaterThan(semver("550.9.0"))
{D}.driverVersion == semver("550.54.15")
semver("550.54.15") == {D}.driverVersion
{D}.driverVersion.major() >= 550
{D}.driverVersion > semver("1.0.0")
{D}.model.isGreaterThan(semver("1.0.0"))
semver("1.0.0") == {D}.model
{D}.model == semver("1.0.0")
{C}.memory.compareTo(quantity("40Gi")) >= 0
{C}.memory == quantity("40960Mi")
{C}.memory.isGreaterThan({C}.cores)
{C}.memory > quantity("1")
{C}.memory.value
{C}.nope.compareTo(quantity("1")) == 0
{C}.cores.asInteger() == 108
{C}.slice.isInteger()
{C}.?nope.hasValue()
device.capacity["none"].x
{C}
{D}.ints.exists(x, x == 8)
{D}.ints.all(x, x > 0)
{D}.ints.map(x, x + 1)
{D}.ints[1]
{D}.ints[5]
{D}.ints.size()
8 in {D}.ints
{D}.ints.includes(8)
{D}.model.includes("a100")
{D}.strings.join(",")
{D}.strings.distinct().size() == 2
{D}.strings.sort()
{D}.ints.sum()
{D}.ints.max()
{D}.bools[0]
{D}.versions.exists(v, v.major() == 2)
{D}.versions[1]
{D}.index in [1, 2, 3]
{D}.model in ["h100", "a100"]
{D}.model in [device.driver, "a100"]
{D}.exists(k, k == "model")
{D}.all(k, v, v != "x")
{D}.exists(k, v, v == 3)
{D}.map(k, k).size() > 5
{D}.size() > 5
device.attributes.size() == 2
device.attributes.exists(d, d == "gpu.example.com")
device.attributes.exists(d, device.attributes[d].exists(k, k == "pcieRoot"))
cel.bind(a, {D}, a.index == 3 && a.healthy)
cel.bind(dra, {D}, dra.?nope.hasValue() || dra.model == "a100")
device.driver.startsWith("gpu") ? {D}.index == 3 : {D}.nope == 1
({D}.healthy ? {D} : device.attributes["none"]).index == 3
device.driver.matches("^gpu\\\\.[a-z]+\\\\.com$")
device.driver.contains("example")
device.driver.size() == 15
device.driver.split(".")[0] == "gpu"
device.driver in ["gpu.example.com"]
size(device.driver + {D}.model)
type({D}.index) == int
string({D}.index) == "3"
int({D}.model)
int({D}.index)
double({D}.index)
quantity({D}.model)
dyn(device.driver) == "gpu.example.com"
dyn(device).driver
dyn(device).nope
device == device
{D} == {D}
math.greatest(1, 2)
base64.encode(b"x")
authorizer
request
object
self
uuid()
1 ==
&&
(1
1)
[1
{{1
{{1: }}
a b
device..driver
device.driver.
?
1 ? 2
#
$
'a' 'b'
@x
a.`b`
x.map(
""")

# Nested and long ones, at and beyond the limits.
LIMITS = [
    " + ".join(["1"] * 100),
    " + ".join(["1"] * 249),
    " + ".join(["1"] * 250),
    " + ".join(["1"] * 251),
    " + ".join(["1"] * 252),
    " + ".join(["1"] * 300),
    " && ".join(["true"] * 300),
    "(" * 100 + "1" + ")" * 100,
    "(" * 248 + "1" + ")" * 248,
    "(" * 251 + "1" + ")" * 251,
    "(" * 400 + "1" + ")" * 400,
    "[" * 60 + "]" * 60,
    "[" * 260 + "]" * 260,
    "!" * 300 + "true",
    "dyn({})" + ".a" * 240,
    "dyn({})" + ".a" * 260,
    "true ? 1 : " * 240 + "2",
    "true ? 1 : " * 260 + "2",
    "1 == 1" + " == true" * 240,
    "1 == 1" + " == true" * 260,
    "''" + ".trim()" * 240,
    "''" + ".trim()" * 260,
    "'" + "a" * 10300 + "'.size()",
    "[1].map(a, [a].map(b, [b].map(c, [c].map(d, d))))",
    "lists.range(60).map(a, lists.range(60).map(b, a * b)).size()",
    "lists.range(1000).map(x, 'abcdefghij').join().size()",
    "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a + b + c != '')))",
    '["a"].join() == "a"',
    "optional.none() == optional.none()",
    "type(1) == int",
    '["a"].includes("a")',
    "device.attributes.all(d, device.attributes[d].all(k, k.size() < 100))",
    "device.attributes.all(d, device.attributes[d].all(k, device.attributes[d][k] != 'x'))",
    'device.attributes["a"].b.matches("x+")',
    'device.driver.matches("[a-z]+" + device.driver)',
    "device.driver.replace('a', 'bb').split('b').map(x, x + 'c').join('-').size() > 3",
    "[device.driver, 'a'].all(x, x.contains(device.driver))",
    "cel.bind(x, device.driver, x + x + x).size()",
    "{'a': device.driver}.transformMap(k, v, v + k).size()",
    "(device.allowMultipleAllocations ? device.driver : 'a').contains('b')",
]

FAMILIES = {
    "literals": LITERALS,
    "operators": OPERATORS,
    "conversions": CONVERSIONS,
    "strings": STRINGS,
    "macros": MACROS,
    "lists": LISTS,
    "libraries": LIBRARIES,
    "device": DEVICE,
    "limits": LIMITS,
}
