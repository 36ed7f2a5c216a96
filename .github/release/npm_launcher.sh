#!/bin/sh
# Starts the program of the npm package as launcher.cjs does, without Node, which takes as long to start as Deno.
# The entries that `install` writes on Linux and macOS run it. It starts nothing by a name on PATH, unless npm has put
# Deno elsewhere: then launcher.cjs looks for it. npm.ts fills in the words between @.
case $0 in */*) bmad_mcp_here=${0%/*} ;; *) bmad_mcp_here=. ;; esac
bmad_mcp_deno=
# npm puts packages side by side, and those of a global one into its own folder.
for bmad_mcp_folder in "$bmad_mcp_here/node_modules" "$bmad_mcp_here/../.."; do
  for bmad_mcp_package in @PACKAGES@; do
    bmad_mcp_package=$bmad_mcp_folder/$bmad_mcp_package
    [ -x "$bmad_mcp_package/deno" ] || continue
    # In a folder that several systems share, Node knows which one this is.
    if [ -n "$bmad_mcp_deno" ]; then
      bmad_mcp_deno=
      break 2
    fi
    while IFS= read -r bmad_mcp_line; do
      case $bmad_mcp_line in *'"version": "@VERSION@"'*) bmad_mcp_deno=$bmad_mcp_package/deno ;; esac
    done <"$bmad_mcp_package/package.json"
  done
done
[ -n "$bmad_mcp_deno" ] || exec node "$bmad_mcp_here/launcher.cjs" "$@"

# Nothing that would change the runtime: its flags, its telemetry, who decides about its rights.
set -f
IFS='
'
for bmad_mcp_line in $(export -p); do
  # Bash says `declare -x` unless it is called sh. A line of a longer value may look like a variable, too.
  bmad_mcp_line=${bmad_mcp_line#export }
  bmad_mcp_line=${bmad_mcp_line#declare -x }
  bmad_mcp_line=${bmad_mcp_line%%=*}
  case $bmad_mcp_line in
    *[!A-Za-z0-9_]* | DENO_DIR | DENO_CERT | DENO_TLS_CA_STORE) ;;
    DENO_* | OTEL_* | NODE_OPTIONS) unset "$bmad_mcp_line" ;;
  esac
done
export DENO_NO_UPDATE_CHECK=1 DENO_NO_PACKAGE_JSON=1
exec "$bmad_mcp_deno" @ARGS@ "$bmad_mcp_here/@ENTRY@" "$@"
