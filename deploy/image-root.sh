#!/bin/sh
# Lays out the files of the container image (see Dockerfile), on Debian and as root:
#
#   image-root.sh EXECUTABLE ARCHITECTURE FOLDER
#
# They are the program, the libraries that Node is linked with, certificates, a user, and folders for it to write in.
set -eu

executable=$1 architecture=$2 root=$3
packages='libc6 libstdc++6 libgcc-s1 libatomic1 ca-certificates'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# Packages of another architecture than this machine's can be downloaded once apt knows of it.
if [ "$(dpkg --print-architecture)" != "$architecture" ]; then dpkg --add-architecture "$architecture"; fi
apt-get update -qq
for package in $packages; do
  case $package in ca-certificates) name=$package ;; *) name=$package:$architecture ;; esac
  (cd "$work" && apt-get download -qq -o APT::Sandbox::User=root "$name")
done

# /lib is /usr/lib, as in Debian itself, wherever a package has its files.
mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/lib64" "$root/usr/share/doc" "$root/var/lib/dpkg/status.d"
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"
for file in "$work"/*.deb; do
  package=$(dpkg-deb --field "$file" Package)
  dpkg-deb --extract "$file" "$work/$package"
  for folder in lib usr/lib; do
    for libraries in "$work/$package/$folder"/*-linux-gnu; do
      if [ -d "$libraries" ]; then
        mkdir -p "$root/usr/lib/${libraries##*/}"
        # Without folders of plugins, of which the program uses none.
        find "$libraries" -maxdepth 1 ! -type d -exec cp -a {} "$root/usr/lib/${libraries##*/}/" \;
      fi
    done
    # Where programs look for the loader: directly in /lib (arm64) or in /lib64 (amd64).
    find "$work/$package/$folder" -maxdepth 1 -name 'ld-linux-*' -exec cp -a {} "$root/usr/lib/" \; 2>/dev/null || true
    if [ -d "$work/$package/${folder}64" ]; then cp -a "$work/$package/${folder}64/." "$root/usr/lib64/"; fi
  done
  # The licence, and what scanners of images look for.
  mkdir -p "$root/usr/share/doc/$package"
  cp -L "$work/$package/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/" 2>/dev/null || true
  dpkg-deb --field "$file" > "$root/var/lib/dpkg/status.d/$package"
done

mkdir -p "$root/etc/ssl/certs"
cat "$work"/ca-certificates/usr/share/ca-certificates/mozilla/*.crt > "$root/etc/ssl/certs/ca-certificates.crt"
echo 'root:x:0:0:root:/:/nologin
skinsmith:x:1000:1000:skinsmith:/data:/nologin' > "$root/etc/passwd"
echo 'root:x:0:
skinsmith:x:1000:' > "$root/etc/group"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
install -d -m 1777 "$root/tmp"
install -d -m 0700 -o 1000 -g 1000 "$root/data"
install -m 755 "$executable" "$root/usr/bin/skinsmith"
