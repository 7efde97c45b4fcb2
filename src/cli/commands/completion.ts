import { Argument } from 'commander';
import type { CommandContext, CommandModule } from '../context/context.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** The file name of each script in `completions/`, as its shell expects it. */
export const SCRIPT_FILES = {
  bash: 'skinsmith.bash',
  zsh: '_skinsmith',
  fish: 'skinsmith.fish',
  powershell: 'skinsmith.ps1',
} as const satisfies Record<Shell, string>;

/**
 * The completion script of each shell. All of them ask `skinsmith complete --current=WORD -- EARLIER-WORDS`, whose first
 * line has the kind of paths to offer (files, folders, none) and what stands before the part of the word to complete; the
 * other lines each have a value and its description. The word is an option's value because some shells drop empty words.
 */
export const SCRIPTS = {
  // For bash 3.2 and later, which macOS has; does not require bash-completion.
  bash: `# Completion of skinsmith for bash. To use it, add to ~/.bashrc:
#   eval "$(skinsmith completion bash)"

_skinsmith() {
  local typed=() rest=$COMP_LINE gap=1 i word
  # bash splits words at : and =. This joins what has no gap between.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((gap)); then typed+=("$word"); else typed[\${#typed[@]} - 1]+=$word; fi
    rest=\${rest#"$word"} gap=0
    while [[ $rest == [[:space:]]* ]]; do rest=\${rest#?} gap=1; done
  done
  local last=$((\${#typed[@]} - 1)) current
  current=\${typed[last]}
  # The part of the current word that readline keeps, because bash split it off.
  local kept=\${current%"\${COMP_WORDS[COMP_CWORD]}"}
  [[ \${COMP_WORDS[COMP_CWORD]} == [:=] ]] && kept=$current

  local paths='' lead='' value about abouts=()
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
    if [[ ! $paths ]]; then paths=$value lead=$about; continue; fi
    printf -v value %q "$value"
    [[ $lead$value == "$current"* ]] || continue
    value=$lead$value
    COMPREPLY+=("\${value#"$kept"}")
    abouts+=("$about")
  done < <("\${COMP_WORDS[0]}" complete --current="$current" -- "\${typed[@]:1:last-1}" 2>/dev/null)

  # While bash lists what there is (and inserts at most what all have in common), descriptions stand beside values.
  local lists=''
  case \${COMP_TYPE:-} in 33 | 63 | 64) lists=1 ;; esac
  case $paths in
  files)
    # Where no value fits, readline completes files by itself.
    if ((\${#COMPREPLY[@]})); then
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "\${current#"$lead"}")
      [[ $lists ]] || compopt -o filenames 2>/dev/null
    fi
    ;;
  folders) compopt -o dirnames +o default +o bashdefault 2>/dev/null ;;
  *) compopt +o default +o bashdefault 2>/dev/null ;;
  esac
  if [[ $lists && \${#COMPREPLY[@]} -gt 1 ]]; then
    for ((i = 0; i < \${#abouts[@]}; i++)); do
      [[ \${abouts[i]} ]] || continue
      value="\${COMPREPLY[i]}  (\${abouts[i]})"
      COMPREPLY[i]=\${value:0:\${COLUMNS:-80}-1}
    done
  fi
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

complete -o bashdefault -o default -F _skinsmith skinsmith
`,

  zsh: `#compdef skinsmith
# Completion of skinsmith for zsh. To use it, write it to a folder of $fpath as _skinsmith, or add to ~/.zshrc, after compinit:
#   source <(skinsmith completion zsh)

_skinsmith() {
  local paths='' lead='' line
  local -a found space
  while IFS= read -r line; do
    if [[ -z $paths ]]; then
      paths=\${line%%$'\\t'*} lead=\${line#*$'\\t'}
    else
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <("\${(Q)words[1]}" complete --current="\${(Q)words[CURRENT]}" -- "\${(@Q)words[2,CURRENT - 1]}" 2>/dev/null)
  [[ -n $lead ]] && compset -P "\${(b)lead}"
  [[ \${found[1]} == *=:* ]] && space=(-S '')
  ((\${#found})) && _describe -V 'value' found "\${space[@]}"
  case $paths in
  files) _files ;;
  folders) _files -/ ;;
  esac
}

if [[ \${funcstack[1]} == _skinsmith ]]; then _skinsmith "$@"; else compdef _skinsmith skinsmith; fi
`,

  fish: `# Completion of skinsmith for fish. To use it:
#   skinsmith completion fish > ~/.config/fish/completions/skinsmith.fish

function __skinsmith_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command $typed[1] complete --current="$current" -- $typed[2..-1] 2>/dev/null)
    set -l head (string split \\t -- $lines[1])
    for line in $lines[2..-1]
        printf '%s\\n' "$head[2]$line"
    end
    set -l rest (string sub -s (math 1 + (string length -- "$head[2]")) -- "$current")
    set -l found
    switch "$head[1]"
        case files
            set found (__fish_complete_path "$rest")
        case folders
            set found (__fish_complete_directories "$rest" '')
    end
    for path in $found
        printf '%s\\n' "$head[2]$path"
    end
end

complete -c skinsmith -f -k -a '(__skinsmith_complete)'
`,

  powershell: `# Completion of skinsmith for PowerShell. To use it, add to $PROFILE:
#   skinsmith completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName skinsmith -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
            Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    $program = $commandAst.CommandElements[0].Value
    $head, $lines = @(& $program complete "--current=$wordToComplete" -- $typed 2>$null)
    $paths, $lead = "$head" -split "\`t", 2
    foreach ($line in $lines) {
        $value, $about = $line -split "\`t", 2
        if (-not "$lead$value".StartsWith($wordToComplete)) { continue }
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new("$lead$value", $value, 'ParameterValue', $about)
    }
    # Without any result PowerShell offers files by itself.
    if ($lines -and -not $lead -and $paths -eq 'files') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    }
}
`,
} satisfies Record<Shell, string>;

export const completion = {
  description:
    'Print a completion script for a shell.\n' +
    'It completes commands, options and their values. Job IDs, skins, settings and names come from what this ' +
    'machine has stored; the service is not contacted. Each script says at its top how to install it.',
  examples: {
    'Turn on completion in this bash session, or in ~/.bashrc for every session':
      'eval "$(skinsmith completion bash)"',
    'Write the script for fish to a file': 'skinsmith completion fish > skinsmith.fish',
  },
  output: [],
  declare: (command) => command.addArgument(new Argument('<shell>', 'shell to complete in').choices(SHELLS)),
  run: runCompletion,
} satisfies CommandModule;

async function runCompletion(shell: Shell, { io }: CommandContext): Promise<void> {
  io.out.write(SCRIPTS[shell]);
}
