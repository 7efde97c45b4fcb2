#!/usr/bin/env bash
# Compiles the JUnit 5 example and runs it, with Debian's openjdk-17-jdk-headless and junit5: bash examples/java/run.sh
set -euo pipefail
cd "$(dirname "$0")"
if ! command -v javac >/dev/null || [ ! -e /usr/share/java/junit-platform-console.jar ]; then
  echo "Not tried: the JDK and junit5 are not installed." && exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
jars=$(printf '%s:' /usr/share/java/{junit-jupiter-{api,engine},junit-platform-{commons,engine,launcher,console,reporting},opentest4j,apiguardian-api,univocity-parsers,picocli}.jar)
javac -d "$out" -cp "$jars" ./*.java
export SKINSMITH=${SKINSMITH:-"node $PWD/../../bin/skinsmith.js"}
java -Dpicture="$(base64 -w0 ../smith.png)" -cp "$out:$jars" org.junit.platform.console.ConsoleLauncher --disable-banner --select-class SkinsmithDoubleTest
