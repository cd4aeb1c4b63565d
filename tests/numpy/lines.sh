#!/usr/bin/env bash
# The lines that pages print "in NumPy" give their arrays, run by Debian's python3-numpy.
#   tests/numpy/lines.sh BINARY
set -eu
binary=$(readlink -f -- "$1")
self=$(readlink -f -- "${BASH_SOURCE[0]}")
cd "${self%/tests/*}"
exec /usr/bin/python3 tools/reference/check_numpy_lines.py "$binary"
