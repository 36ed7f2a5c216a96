#!/bin/sh
# Installs bmad-mcp on macOS and Linux:
#
#     curl --proto '=https' --tlsv1.2 -fsSL https://github.com/OWNER/bmad-mcp/releases/latest/download/install.sh | sh
#
# Downloads the archive for this machine over https, checks it against SHA256SUMS and, where gh or cosign is installed,
# against the attestation of where it was built, runs the program once and only then replaces an older one. Writes nothing
# else: shell profiles stay as they are. The last line calls main, which does all the work, so that a truncated download
# does nothing.
#
#     BMAD_MCP_VERSION        the version, such as 0.1.0; default: the latest
#     BMAD_MCP_INSTALL_DIR    the folder; default: ~/.local/bin
#     BMAD_MCP_BASE_URL       a mirror of the releases with the layout of GitHub; default: GitHub
#     BMAD_MCP_VERIFY         attestation: refuse to install without it; checksum: check nothing else
set -eu

fail() {
  printf 'Cannot install bmad-mcp: %s\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Downloads a URL to a file; neither it nor a redirect may leave https. Only a mirror on this machine may use http.
download() {
  case $base in https://*) protocols='=https' ;; *) protocols='=http' ;; esac
  if has curl; then
    curl --fail --silent --show-error --location --proto "$protocols" --proto-redir "$protocols" --tlsv1.2 \
      --output "$2" "$1"
  elif has wget; then
    # Its --https-only is for recursive downloads only. The headers show where a redirect went.
    wget -nv -S -O "$2" "$1" 2>"$tmp/headers" || return 1
    if [ "$protocols" = '=https' ] && grep -Eiq '^ *location: *(http|ftp):' "$tmp/headers"; then
      fail "$1 redirects to an address without https"
    fi
  else
    fail 'curl or wget is required; install one of them'
  fi
}

require() {
  download "$1" "$2" || fail "could not download $1; see https://github.com/OWNER/bmad-mcp/releases"
}

# The program that can verify an attestation, if one is installed and recent enough.
find_verifier() {
  if has gh && gh attestation verify --help 2>/dev/null | grep -q -e --source-ref; then
    echo gh
  elif has cosign && cosign verify-blob-attestation --help 2>/dev/null | grep -q -e --new-bundle-format; then
    echo cosign
  fi
}

# Whether the release workflow of this repository built a file, at the tag of the version.
is_attested() {
  workflow=OWNER/bmad-mcp/.github/workflows/release.yml
  case $1 in
    gh)
      GH_HOST=github.com gh attestation verify "$2" --bundle "$3" --repo OWNER/bmad-mcp \
        --signer-workflow "$workflow" --source-ref "refs/tags/v$version" --deny-self-hosted-runners
      ;;
    cosign)
      cosign verify-blob-attestation --new-bundle-format --bundle "$3" --type slsaprovenance1 \
        --certificate-oidc-issuer https://token.actions.githubusercontent.com \
        --certificate-identity "https://github.com/$workflow@refs/tags/v$version" "$2"
      ;;
  esac >"$tmp/verified" 2>&1
}

# Verifies the attestation of the archive, and says what was checked.
verify() {
  verifier=
  if [ "$check" != checksum ]; then verifier=$(find_verifier); fi
  if [ -n "$verifier" ]; then
    bundle=bmad-mcp-$version.sigstore.json
    hint='set BMAD_MCP_VERIFY=checksum to install without it'
    download "$base/download/v$version/$bundle" "$tmp/$bundle" ||
      fail "the release has no attestation $bundle; $hint"
    if ! is_attested "$verifier" "$tmp/$archive" "$tmp/$bundle"; then
      cat "$tmp/verified" >&2
      fail "$verifier does not accept the attestation of $archive, so it may not be what was released; report it"
    fi
    echo "Checked: SHA256SUMS, and with $verifier that the release workflow built it for v$version" >&2
  elif [ "$check" = attestation ]; then
    fail 'a recent gh or cosign is required to verify the attestation; install one of them'
  elif [ "$check" = checksum ]; then
    echo 'Checked: SHA256SUMS only, as BMAD_MCP_VERIFY says' >&2
  else
    echo 'Checked: SHA256SUMS only; install gh or cosign to verify where it was built as well' >&2
  fi
}

find_system() {
  case $(uname -s) in
    Linux)
      if ldd --version 2>&1 | grep -qi musl; then
        fail 'the binaries need glibc, and this system has musl; run it from source or in a Debian container'
      fi
      echo linux
      ;;
    Darwin) echo darwin ;;
    *) fail "unsupported system $(uname -s); on Windows use install.ps1, elsewhere run it from source" ;;
  esac
}

find_machine() {
  case $(uname -m) in
    arm64 | aarch64) echo arm64 ;;
    x86_64 | amd64)
      # A shell under Rosetta reports x86_64 on an arm64 machine.
      if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then echo arm64; else echo x64; fi
      ;;
    *) fail "unsupported processor $(uname -m), only x64 and arm64 are available; run it from source" ;;
  esac
}

main() {
  base=${BMAD_MCP_BASE_URL:-https://github.com/OWNER/bmad-mcp/releases}
  dir=${BMAD_MCP_INSTALL_DIR:-$HOME/.local/bin}
  version=${BMAD_MCP_VERSION:-}
  version=${version#v}
  wanted=$version
  check=${BMAD_MCP_VERIFY:-}
  case $check in '' | attestation | checksum) ;; *) fail "unknown BMAD_MCP_VERIFY $check; use attestation or checksum" ;; esac
  printf '%s\n' "$base" | grep -Eq '^(https://|http://(127\.0\.0\.1|localhost):[0-9]+(/|$))' ||
    fail "BMAD_MCP_BASE_URL $base must begin with https://"
  system=$(find_system)
  machine=$(find_machine)

  tmp=$(mktemp -d)
  staged=
  trap 'rm -rf "$tmp" "$staged"' EXIT
  trap 'exit 1' HUP INT TERM

  if [ -n "$version" ]; then sums=$base/download/v$version; else sums=$base/latest/download; fi
  require "$sums/SHA256SUMS" "$tmp/SHA256SUMS"
  # The line for this machine has the checksum and, in the name of the archive, the version.
  line=$(grep -E "^[0-9a-f]{64}  bmad-mcp-[0-9A-Za-z.+-]+-$system-$machine\.tar\.gz\$" "$tmp/SHA256SUMS") ||
    fail "SHA256SUMS of that release has no archive for $system-$machine"
  archive=${line#*  }
  version=${archive#bmad-mcp-}
  version=${version%"-$system-$machine.tar.gz"}
  if [ -n "$wanted" ] && [ "$version" != "$wanted" ]; then
    fail "SHA256SUMS of version $wanted is of version $version"
  fi

  echo "Downloading bmad-mcp $version for $system-$machine" >&2
  require "$base/download/v$version/$archive" "$tmp/$archive"
  if has sha256sum; then
    sum=$(sha256sum "$tmp/$archive")
  elif has shasum; then
    sum=$(shasum -a 256 "$tmp/$archive")
  else
    fail 'sha256sum or shasum is required to check the download; install one of them'
  fi
  if [ "${sum%% *}" != "${line%% *}" ]; then
    fail "$archive does not match SHA256SUMS; try again, and report it if that fails too"
  fi
  verify
  tar -xzf "$tmp/$archive" -C "$tmp" bmad-mcp || fail "could not unpack $archive"

  mkdir -p "$dir" || fail "could not create the folder $dir; set BMAD_MCP_INSTALL_DIR to another one"
  dir=$(CDPATH="" cd -- "$dir" && pwd)
  if [ -d "$dir/bmad-mcp" ]; then fail "$dir/bmad-mcp is a folder; set BMAD_MCP_INSTALL_DIR to another folder"; fi
  # Copied into the target folder first, because mv is atomic only within one file system.
  staged=$dir/.bmad-mcp.$$
  cp "$tmp/bmad-mcp" "$staged" || fail "could not write to $dir; set BMAD_MCP_INSTALL_DIR to another folder"
  chmod 755 "$staged"
  said=$("$staged" --version </dev/null) ||
    fail "the program does not start on this machine; an earlier version is untouched"
  mv -f "$staged" "$dir/bmad-mcp"

  echo "Installed $said as $dir/bmad-mcp"
  case :$PATH: in
    *:"$dir":*) ;;
    *) printf 'That folder is not on your PATH. Add this line to your shell profile:\n\n    %s\n\n' \
      "export PATH=\"$dir:\$PATH\"" ;;
  esac
  echo 'Connect your clients: bmad-mcp install'
}

main "$@"
