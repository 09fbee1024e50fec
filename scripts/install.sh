#!/usr/bin/env bash
# Install what the tests need beyond the Rust toolchains; does nothing when all is there.
source "$(dirname "$0")/common.sh"

# The reader that the interoperability tests compare with.
DARSHAN=3.5.0

browser_missing() { ! have chromium && ! have chromium-browser && ! have google-chrome; }
venv_missing() { ! have python3 || ! python3 -c 'import ensurepip, venv' 2>/dev/null; }

packages=()
have cc || packages+=(gcc)
have c++ || packages+=(g++) # the fuzzing engine
venv_missing && packages+=(python3 python3-venv)
browser_missing && packages+=(chromium)
have node || packages+=(nodejs)
have npm || packages+=(npm)
# Real programs for the recorder, and those who watch it.
have strace || packages+=(strace)
have valgrind || packages+=(valgrind)
have fio || packages+=(fio)
have mpicc.openmpi || packages+=(openmpi-bin libopenmpi-dev)
have mpicc.mpich || packages+=(mpich libmpich-dev)
have gfortran || packages+=(gfortran)
have git || packages+=(git)
have iostat || packages+=(sysstat) # its real output, for tests/interop/test_server_logs.py

if [ ${#packages[@]} -gt 0 ]; then
    if [ "$(id -u)" -ne 0 ] || ! have apt-get; then
        fail "please install these packages, then run again: ${packages[*]}"
    fi
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
fi

if ! .venv/bin/python -c "from importlib.metadata import version as v; assert v('darshan') == '$DARSHAN'" 2>/dev/null; then
    python3 -m venv --clear .venv
    .venv/bin/python -m pip install -q "darshan==$DARSHAN"
fi
echo "PyDarshan $DARSHAN in .venv"
# For the second writing of the published method, tests/interop/ftio_oracle.py.
.venv/bin/python -c 'import numpy, scipy' 2>/dev/null || .venv/bin/python -m pip install -q numpy scipy
# libzmq and MessagePack to talk to `predict` as others do.
.venv/bin/python -c 'import zmq, msgpack' 2>/dev/null || .venv/bin/python -m pip install -q pyzmq msgpack
# Oracles of wavelets and outliers, for tests/interop/test_signature.py.
.venv/bin/python -c 'import pywt, sklearn' 2>/dev/null || .venv/bin/python -m pip install -q PyWavelets scikit-learn
# Readers of Parquet, for tests/interop/test_store.py.
.venv/bin/python -c 'import duckdb, pandas, polars, pyarrow' 2>/dev/null || .venv/bin/python -m pip install -q duckdb pandas polars pyarrow

if [ -f tests/browser/package.json ]; then
    stamp=tests/browser/node_modules/.package-lock.json
    if [ ! -f $stamp ] || [ tests/browser/package.json -nt $stamp ]; then
        (cd tests/browser && npm install --no-audit --no-fund --no-package-lock)
    fi
    echo "packages of tests/browser"
fi
