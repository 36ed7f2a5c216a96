#!/bin/sh
# Installs bmad-mcp on macOS and Linux:
#
#     curl -fsSL https://github.com/OWNER/bmad-mcp/releases/latest/download/install.sh | sh
#
# Downloads the archive for this machine, compares it with SHA256SUMS, starts the program once and only then puts it
# in the place of an older one. Writes nothing else: shell profiles stay as they are. All of it happens in main, which
# is called on the last line, so that a script whose download was cut off does nothing.
#
#     BMAD_MCP_VERSION        which version, such as 0.1.0; else the latest
#     BMAD_MCP_INSTALL_DIR    into which folder; else ~/.local/bin
#     BMAD_MCP_BASE_URL       a mirror of the releases, laid out as on GitHub; else GitHub
set -eu

fail() {
  printf 'Cannot install bmad-mcp: %s\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Writes a URL to a file. What begins with https must not be led to anything else.
download() {
  case $1 in https:*) proto='=https' ;; *) proto='=http,https' ;; esac
  if has curl; then
    curl --fail --silent --show-error --location --proto "$proto" --output "$2" "$1"
  elif has wget; then
    wget -q -O "$2" "$1"
  else
    fail 'neither curl nor wget is here; install one of them'
  fi || fail "could not download $1; see https://github.com/OWNER/bmad-mcp/releases"
}

find_system() {
  case $(uname -s) in
    Linux)
      if ldd --version 2>&1 | grep -qi musl; then
        fail 'this system has musl, and the binaries need glibc; run it from source, or in a container with Debian'
      fi
      echo linux
      ;;
    Darwin) echo darwin ;;
    *) fail "there is no binary for $(uname -s); on Windows use install.ps1, elsewhere run it from source" ;;
  esac
}

find_machine() {
  case $(uname -m) in
    arm64 | aarch64) echo arm64 ;;
    x86_64 | amd64)
      # A shell under Rosetta says x86_64 on a machine that is none.
      if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then echo arm64; else echo x64; fi
      ;;
    *) fail "there is no binary for $(uname -m), only for x64 and arm64; run it from source" ;;
  esac
}

main() {
  base=${BMAD_MCP_BASE_URL:-https://github.com/OWNER/bmad-mcp/releases}
  dir=${BMAD_MCP_INSTALL_DIR:-$HOME/.local/bin}
  version=${BMAD_MCP_VERSION:-}
  version=${version#v}
  system=$(find_system)
  machine=$(find_machine)

  tmp=$(mktemp -d)
  staged=
  trap 'rm -rf "$tmp" "$staged"' EXIT
  trap 'exit 1' HUP INT TERM

  if [ -n "$version" ]; then sums=$base/download/v$version; else sums=$base/latest/download; fi
  download "$sums/SHA256SUMS" "$tmp/SHA256SUMS"
  # The line of the archive for this machine has its checksum and, in its name, the version.
  line=$(grep -E "^[0-9a-f]{64}  bmad-mcp-[0-9A-Za-z.+-]+-$system-$machine\.tar\.gz\$" "$tmp/SHA256SUMS") ||
    fail "SHA256SUMS of that release names no archive for $system-$machine"
  archive=${line#*  }
  version=${archive#bmad-mcp-}
  version=${version%"-$system-$machine.tar.gz"}

  echo "Downloading bmad-mcp $version for $system-$machine" >&2
  download "$base/download/v$version/$archive" "$tmp/$archive"
  if has sha256sum; then
    sum=$(sha256sum "$tmp/$archive")
  elif has shasum; then
    sum=$(shasum -a 256 "$tmp/$archive")
  else
    fail 'neither sha256sum nor shasum is here to check the download with; install one of them'
  fi
  if [ "${sum%% *}" != "${line%% *}" ]; then
    fail "$archive is not what SHA256SUMS says; try again, and report it if that fails too"
  fi
  tar -xzf "$tmp/$archive" -C "$tmp" bmad-mcp || fail "$archive could not be unpacked"

  mkdir -p "$dir" || fail "the folder $dir could not be made; set BMAD_MCP_INSTALL_DIR to another one"
  dir=$(CDPATH="" cd -- "$dir" && pwd)
  if [ -d "$dir/bmad-mcp" ]; then fail "$dir/bmad-mcp is a folder; set BMAD_MCP_INSTALL_DIR to another place"; fi
  # Copied next to its place first: only within one file system is mv a single step that cannot be seen half done.
  staged=$dir/.bmad-mcp.$$
  cp "$tmp/bmad-mcp" "$staged" || fail "$dir could not be written to; set BMAD_MCP_INSTALL_DIR to another folder"
  chmod 755 "$staged"
  said=$("$staged" --version </dev/null) ||
    fail "the program does not start on this machine; what was there before is untouched"
  mv -f "$staged" "$dir/bmad-mcp"

  echo "Installed $said as $dir/bmad-mcp"
  case :$PATH: in
    *:"$dir":*) ;;
    *) printf 'That folder is not on your PATH. Add this line to the profile of your shell:\n\n    %s\n\n' \
      "export PATH=\"$dir:\$PATH\"" ;;
  esac
  echo 'Connect your clients: bmad-mcp install'
}

main "$@"
