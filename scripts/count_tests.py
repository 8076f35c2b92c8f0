"""Prints "PASSED FAILED" of a JUnit report of ctest; a report without a test counts as failed."""
import sys
import xml.etree.ElementTree as tree

try:
    suite = tree.parse(sys.argv[1]).getroot()
    cases = suite.findall("testcase")
except (OSError, tree.ParseError):
    cases = []
good = sum(1 for case in cases if case.get("status") == "run" and case.find("failure") is None)
bad = len(cases) - good
print(good, bad if cases else 1)
