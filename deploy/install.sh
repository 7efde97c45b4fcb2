#!/bin/sh
# Installs skinsmith from a release: one program with everything inside. It needs neither Node nor root, and never calls sudo.
#
#   sh install.sh [--prefix FOLDER] [--version VERSION] [--from FOLDER-OR-URL] [--sha256 CHECKSUM]
#
# It downloads SHA256SUMS and the archive for this machine, and installs nothing that has another checksum. Where gh (signed in) or
# cosign is there, it also verifies that GitHub built the archive from this repository. It installs manual pages and completion
# scripts, too. To remove all of it, see the end of what it prints.
set -eu

repository=skinsmith/skinsmith
releases=https://github.com/$repository/releases
workflow=$repository/.github/workflows/release.yml
by_npm='npm install --global skinsmith (needs Node 22.19 or newer)'

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

usage() {
  echo 'sh install.sh [--prefix FOLDER] [--version VERSION] [--from FOLDER-OR-URL] [--sha256 CHECKSUM]'
  echo '  --prefix   where to install: FOLDER/bin, FOLDER/share (default: ~/.local; /usr/local needs root)'
  echo '  --version  which release (default: the latest)'
  echo '  --from     where its files are (default: the release on GitHub)'
  echo '  --sha256   checksum that the archive for this machine must have, whatever SHA256SUMS says'
  exit "$1"
}

# The name of this machine's archive, without the version.
target() {
  case "$(uname -s) $(uname -m)" in
  'Linux x86_64') name=linux-x64 ;;
  'Linux aarch64' | 'Linux arm64') name=linux-arm64 ;;
  'Darwin arm64') name=darwin-arm64 ;;
  'Darwin x86_64')
    # A shell that Rosetta translates takes the machine for an Intel one.
    if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then name=darwin-arm64; else name=darwin-x64; fi
    ;;
  MINGW* | MSYS* | CYGWIN*) fail "On Windows, install it with Scoop, or unpack the zip: $releases" ;;
  *) fail "There is no executable for $(uname -s) on $(uname -m). Use npm: $by_npm" ;;
  esac
  case $name in
  linux-*)
    # Alpine and others: Node has no executable for their C library.
    if (ldd --version 2>&1 || true) | grep -qi musl; then
      fail "This system has the C library musl, and the executable needs glibc. Use npm: $by_npm"
    fi
    ;;
  esac
  echo "$name"
}

# fetch NAME: puts that file of the release into the working folder.
fetch() {
  case $from in
  http://* | https://*)
    if command -v curl >/dev/null; then curl -fsSL --retry 3 -o "$work/$1" "$from/$1"
    elif command -v wget >/dev/null; then wget -q -O "$work/$1" "$from/$1"
    else fail 'It needs curl or wget.'
    fi || fail "Cannot download $from/$1"
    ;;
  *) cp "$from/$1" "$work/$1" || fail "Cannot read $from/$1" ;;
  esac
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"
  elif command -v shasum >/dev/null; then shasum -a 256 "$1"
  else fail 'It needs sha256sum or shasum.'
  fi | cut -d ' ' -f 1
}

# Whether the release's workflow built the archive. Only releases on GitHub have an attestation.
verify_origin() {
  case $from in "$releases"/*) ;; *) return 0 ;; esac
  if command -v gh >/dev/null && gh auth token >/dev/null 2>&1; then
    gh attestation verify "$work/$archive" --repo "$repository" --signer-workflow "$workflow" >/dev/null
  elif command -v cosign >/dev/null; then
    fetch provenance.sigstore.json
    cosign verify-blob-attestation --new-bundle-format --bundle "$work/provenance.sigstore.json" --type slsaprovenance1 \
      --certificate-oidc-issuer https://token.actions.githubusercontent.com \
      --certificate-identity-regexp "^https://github\.com/$workflow@refs/tags/v" "$work/$archive" >/dev/null
  fi || fail "$archive has no valid attestation: nothing shows that GitHub built it from $repository."
}

# put FILE PATH MODE: by a new name first, so that a program that runs keeps its file.
put() {
  if [ -L "$2" ]; then fail "$2 is a link that this script did not make: remove it first."; fi
  mkdir -p "$(dirname "$2")"
  new=$(mktemp "$2.XXXXXX")
  cp "$1" "$new"
  chmod "$3" "$new"
  mv -f "$new" "$2"
}

prefix='' version='' from='' sha256=''
while [ $# -gt 0 ]; do
  case $1 in
  --prefix | --version | --from | --sha256)
    [ $# -gt 1 ] || usage 2 >&2
    case $1 in --prefix) prefix=$2 ;; --version) version=${2#v} ;; --from) from=$2 ;; --sha256) sha256=$2 ;; esac
    shift 2
    ;;
  -h | --help) usage 0 ;;
  *) usage 2 >&2 ;;
  esac
done
[ -n "$prefix" ] || prefix=${HOME:?}/.local
if [ -z "$from" ]; then
  if [ -n "$version" ]; then from=$releases/download/v$version; else from=$releases/latest/download; fi
fi

target=$(target)
program=$prefix/bin/skinsmith
if [ -L "$program" ]; then
  fail "$program is a link that this script did not make, perhaps npm: remove it first (npm uninstall --global skinsmith)."
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fetch SHA256SUMS
line=$(grep -E "^[0-9a-f]{64}  skinsmith-${version:-[0-9][^ ]*}-$target\.tar\.xz\$" "$work/SHA256SUMS") ||
  fail "$from has no skinsmith ${version:+$version }for $target."
archive=${line#*  }
fetch "$archive"
[ "$(sha256 "$work/$archive")" = "${line%%  *}" ] || fail "$archive is damaged, or not what was released: its checksum differs."
[ "${sha256:-${line%%  *}}" = "${line%%  *}" ] || fail "$archive does not have the checksum that --sha256 names, but ${line%%  *}."
verify_origin
tar -xJf "$work/$archive" -C "$work" || fail "Cannot unpack $archive. Is xz installed (the package xz-utils or xz)?"
unpacked=$work/${archive%.tar.xz}
# Minimal images lack it, and the message of the linker names no package.
if (ldd "$unpacked/skinsmith" 2>/dev/null || true) | grep -q 'libatomic\.so\.1 => not found'; then
  fail 'The program needs the library libatomic. Install it (apt-get install libatomic1, or dnf install libatomic), then run this again.'
fi
installed=$("$unpacked/skinsmith" --version) || fail "The program does not run here. Use npm: $by_npm"

share=$prefix/share
for page in "$unpacked"/man/*; do put "$page" "$share/man/man${page##*.}/${page##*/}" 644; done
put "$unpacked/completions/skinsmith.bash" "$share/bash-completion/completions/skinsmith" 644
put "$unpacked/completions/_skinsmith" "$share/zsh/site-functions/_skinsmith" 644
put "$unpacked/completions/skinsmith.fish" "$share/fish/vendor_completions.d/skinsmith.fish" 644
for licence in LICENSE THIRD-PARTY-LICENSES.txt NODE-LICENSE; do put "$unpacked/$licence" "$share/doc/skinsmith/$licence" 644; done
put "$unpacked/skinsmith" "$program" 755 # last: whatever stops before has replaced no program

echo "Installed skinsmith $installed as $program."
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "$prefix/bin is not on your PATH. In this shell: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
echo "To remove it: rm -r $program $share/doc/skinsmith $share/man/man[15]/skinsmith* $share/bash-completion/completions/skinsmith $share/zsh/site-functions/_skinsmith $share/fish/vendor_completions.d/skinsmith.fish"
