/** The script asks `bmad-mcp complete` and knows no command itself. */
import { failUnknown } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import type { Answer, Session } from "./session.ts";

/** Loaded with `eval "$(…)"`. Bash splits words at `=`, and macOS has version 3.2. */
const BASH = `# bash completion for bmad-mcp; in ~/.bashrc: eval "$(bmad-mcp completions bash)"
_bmad_mcp() {
  local word line words=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    [[ $word == "=" ]] || words+=("$word")
  done
  [[ \${COMP_WORDS[COMP_CWORD]} == "=" ]] && words+=("")
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" complete -- "\${words[@]}" 2>/dev/null </dev/null)
}
complete -o default -F _bmad_mcp bmad-mcp
`;

/** Also works as a file named _bmad-mcp in a folder of $fpath. */
const ZSH = `#compdef bmad-mcp
# zsh completion for bmad-mcp; in ~/.zshrc, after compinit: eval "$(bmad-mcp completions zsh)"
_bmad_mcp() {
  local line
  local -a names shown
  for line in "\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    [[ -n $line ]] || continue
    names+=("\${line%%$'\\t'*}")
    shown+=("\${line%%$'\\t'*}  \${line#*$'\\t'}")
  done
  if (( $#names )); then
    compadd -l -d shown -a names
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _bmad-mcp ]]; then
  _bmad_mcp "$@"
else
  compdef _bmad_mcp bmad-mcp
fi
`;

const FISH =
  `# fish completion for bmad-mcp; in ~/.config/fish/config.fish: bmad-mcp completions fish | source
function __bmad_mcp_complete
    set -l words (commandline -opc)
    set -l cursor (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l found ($program complete -- $words "$cursor" 2>/dev/null </dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$cursor"
    end
end
complete -c bmad-mcp -f -a '(__bmad_mcp_complete)'
`;

/** PowerShell before 7.3 drops empty arguments unless they are quoted once more. */
const POWERSHELL =
  `# PowerShell completion for bmad-mcp; in $PROFILE: bmad-mcp completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'bmad-mcp' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    $program = $words[0]
    $words = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') {
        $words += if ($PSVersionTable.PSVersion -ge [version]'7.3') { '' } else { '""' }
    }
    & $program complete '--' @words 2>$null | ForEach-Object {
        $name, $about = $_ -split "\`t", 2
        if (-not $about) { $about = $name }
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
    }
}
`;

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};

export const SHELLS: readonly string[] = Object.keys(SCRIPTS);

export function completions({ invocation: { operands: [shell = ""] } }: Session): Answer {
  const text = Object.hasOwn(SCRIPTS, shell)
    ? SCRIPTS[shell]!
    : failUnknown("shell", shell, SHELLS, suggest(shell.toLowerCase(), SHELLS));
  return { text, data: {} };
}
