#!/usr/bin/env bash
# The compiled core under AddressSanitizer and UndefinedBehaviorSanitizer: the tests of the engine, then games and
# positions of every variant for some minutes. Needs gcc with libasan, and the environment .venv of the README.
#
# Example: nice scripts/sanitize.sh 30     (30 minutes of games; 0: the tests alone)
# Works in build/sanitize, a copy of the tracked files; ends with the first report of a sanitizer, or says "clean".
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-10}
python=$PWD/.venv/bin/python
place=$PWD/build/sanitize
corpus=$PWD/build/fuzz

rm -rf "$place" && mkdir -p "$place"
git ls-files -z | tar --null --files-from=- --create | tar --extract --directory="$place"
cd "$place"
unset DAMIER_PLAIN DAMIER_DEBUG
export PYTHONPATH=$place DAMIER_REQUIRE_COMPILED=1
DAMIER_SANITIZE=1 "$python" setup.py build_ext --inplace > build.log 2>&1 || { tail -n 40 build.log; exit 1; }

# Python itself is not instrumented: the libraries come first, and what it keeps until the end is no leak of ours.
# With malloc for Python's own objects too, a write beyond one of them is seen.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:log_path=$place/report UBSAN_OPTIONS=print_stacktrace=1
export PYTHONMALLOC=malloc PYTHONFAULTHANDLER=1
sanitized() {
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)" "$@" || finish $?
}
finish() {
    cat "$place"/report.* 2>/dev/null || true
    echo "failed with exit code $1"
    exit 1
}

sanitized "$python" -c "import engine.board; assert not engine.board.__file__.endswith('.py'); print('sanitized core', engine.board.__file__)"
# Without the one test that is about speed.
sanitized "$python" -m pytest -q -p no:cacheprovider tests/engine \
    --deselect tests/engine/test_egdb.py::test_a_probe_takes_far_less_than_a_microsecond

# What the fuzzer has found so far, or at least its seeds.
sanitized "$python" scripts/fuzz_coverage.py fen moves pdn hub hub1 uci dxp --replay --corpus "$corpus"

variants=$("$python" -c "from engine import VARIANTS; print(*(f'--variant={name}' for name in VARIANTS))")
end=$((SECONDS + 60 * minutes))
for ((seed = 1; SECONDS < end; seed++)); do
    sanitized "$python" scripts/selfplay.py $variants --games 1 --ms 10 --workers 1 --seed "$seed" > selfplay.log
    sanitized "$python" scripts/compare_reference.py --positions 200 --processes 1 --seed "$seed" > compare.log
    # The sanitizer's own books of what was freed grow as well.
    sanitized "$python" scripts/fuzz_protocols.py hub uci --process --count 2000 --seed "$seed" --growth 500 > fuzz.log
    echo "round $seed: $((SECONDS / 60)) minutes"
done
ls "$place"/report.* 2>/dev/null && finish 0
echo clean
