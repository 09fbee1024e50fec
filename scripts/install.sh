#!/usr/bin/env bash
# Install what the tests need beyond the Rust toolchains; does nothing when all is there. Run it as root once;
# afterwards any user can run the tests.
source "$(dirname "$0")/common.sh"

# The reader and the adviser that the interoperability tests compare with.
DARSHAN=3.5.0
DRISHTI=0.8
# What iostat prints its times in, for tests/interop/test_server_logs.py.
LOCALES=(en_US de_DE fr_FR en_GB ja_JP)

header() { echo "#include <$1>" | "${2:-cc}" -E -x c - >/dev/null 2>&1; } # header NAME [COMPILER]
browser_missing() { ! have chromium && ! have chromium-browser && ! have google-chrome; }
venv_missing() { ! have python3 || ! python3 -c 'import ensurepip, venv' 2>/dev/null; }
# Debian's own Python: its MPI modules belong to its MPI.
python_mpi() { [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import mpi4py.MPI, h5py._debian_h5py_mpi' 2>/dev/null; }

packages=()
need() { packages+=("$@"); }
have cc || need gcc libc6-dev
have c++ || need g++ # the fuzzing engine
venv_missing && need python3 python3-venv
browser_missing && need chromium
have node || need nodejs
have npm || need npm
have git || need git
# Real programs for the recorder, and those who watch it.
have strace || need strace
have valgrind || need valgrind
have fio || need fio
have lmp || need lammps
have mpicc.openmpi || need openmpi-bin libopenmpi-dev
have mpicc.mpich || need mpich libmpich-dev
have gfortran || need gfortran
have h5pcc.openmpi || need libhdf5-openmpi-dev
have h5pcc.mpich || need libhdf5-mpich-dev
header pnetcdf.h mpicc.openmpi || need libpnetcdf-dev
header liburing.h || need liburing-dev
header libaio.h || need libaio-dev
python_mpi || need python3-h5py-mpi python3-mpi4py
have iostat || need sysstat # its real output, for tests/interop/test_server_logs.py
[ -d /usr/share/i18n/locales ] || need locales

if [ ${#packages[@]} -gt 0 ]; then
    if [ "$(id -u)" -ne 0 ] || ! have apt-get; then
        fail "please install these packages, then run again: ${packages[*]}"
    fi
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
fi

# In no locale of the tests' own choosing: `locale -a` writes utf8.
for locale in "${LOCALES[@]}"; do
    if [ "$(id -u)" -eq 0 ] && ! locale -a | grep -q "^$locale.utf8$"; then
        localedef -i "$locale" -f UTF-8 "$locale.UTF-8" || true # the test says which it could not have
    fi
done

if ! .venv/bin/python -c "from importlib.metadata import version as v; assert v('darshan') == '$DARSHAN'" 2>/dev/null; then
    # As root the system's Python: one in root's own folder is closed to the users who run the tests.
    python=python3
    if [ "$(id -u)" -eq 0 ] && /usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null; then python=/usr/bin/python3; fi
    $python -m venv --clear .venv
    .venv/bin/python -m pip install -q "darshan==$DARSHAN"
fi
echo "PyDarshan $DARSHAN in .venv"
# modules IMPORTS PACKAGES: install the packages unless all can be imported.
modules() { .venv/bin/python -c "import $1" 2>/dev/null || .venv/bin/python -m pip install -q $2; }
modules "numpy, scipy" "numpy scipy"         # tests/interop/ftio_oracle.py, the published method written again
modules "zmq, msgpack" "pyzmq msgpack"       # to talk to `predict` as others do
modules "pywt, sklearn" "PyWavelets scikit-learn" # oracles of wavelets and outliers
modules "duckdb, pandas, polars, pyarrow" "duckdb pandas polars pyarrow" # readers of Parquet
[ -x .venv/bin/drishti ] || .venv/bin/python -m pip install -q "drishti-io==$DRISHTI"
echo "Drishti $DRISHTI in .venv"

# The program that checks metrics, out of its package: the package would start a server.
if ! have promtool && [ ! -x .venv/bin/promtool ] && have apt-get; then
    unpacked=$(mktemp -d)
    (cd "$unpacked" && apt-get download -q prometheus && dpkg-deb -x prometheus_*.deb .) &&
        cp "$unpacked/usr/bin/promtool" .venv/bin/ || echo "promtool could not be had: metrics are not checked by it"
    rm -rf "$unpacked"
fi

if [ -f tests/browser/package.json ]; then
    stamp=tests/browser/node_modules/.package-lock.json
    if [ ! -f $stamp ] || [ tests/browser/package.json -nt $stamp ]; then
        (cd tests/browser && npm install --no-audit --no-fund --no-package-lock)
    fi
    echo "packages of tests/browser"
fi
