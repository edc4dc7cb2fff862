# Shorthands for the scripts; `just --list` shows them.
set dotenv-load
set positional-arguments

_default:
    @just --list

# install what is missing
setup:
    scripts/setup

# configure and build
build:
    cmake --preset dev && cmake --build --preset dev

# build and test; arguments go to ctest
test *args:
    scripts/test "$@"

# test with the address and undefined behaviour sanitizers
asan *args:
    scripts/test --asan "$@"

# test with the thread sanitizer
tsan *args:
    scripts/test --tsan "$@"

# every parser of what comes from outside under libFuzzer, a minute in all
fuzz *args:
    scripts/fuzz "$@"

# three seeds of faults, about two minutes; another one: build/dev/tests/chaos/rowrunner-chaos --seed N
chaos: build
    ctest --preset dev -R '^chaos\.seed'

# every mutant under the chaos runner, about 15 minutes; arguments are names of mutants
mutants *names:
    cmake --preset dev
    cmake --build --preset dev --target rowrunner-chaos rowrunner-chaos-mutant rowrunner-chaos-worker-mutant
    tests/chaos/mutants/hunt "$@"

# bring the database up to date
migrate: build
    scripts/migrate

# build, migrate and run a resident worker
dev-worker *args:
    scripts/dev-worker "$@"

# make the pictures of examples/kyoto.json, from nothing
demo:
    scripts/demo

# measure beside other queues: quick, growth, server, or the bars; see bench/run --help
bench *args:
    bench/run "$@"

# start the private development database
db-start:
    scripts/postgres start

# stop the private development database
db-stop:
    scripts/postgres stop

# format all C++ files
fmt:
    git ls-files -z -- '*.hpp' '*.cpp' | xargs -0 -r clang-format -i

# check formatting and run clang-tidy; arguments are files
lint *files:
    scripts/lint "$@"

# what the continuous integration runs
ci:
    .ci/run

# the whole product in containers: writes .env once, builds, starts, prints the address
up *services:
    scripts/containers up "$@"

# stop the containers; -v removes their volumes too
down *args:
    scripts/containers down "$@"

# follow the logs of the containers
logs *services:
    scripts/containers logs "$@"
