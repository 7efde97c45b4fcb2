import { optionNames, posixQuoted, type ScriptWriter, valuesFunction } from './script.ts';
import type { CompletedCommand } from './tree.ts';

/** For bash 3.2 and later; does not require bash-completion. */
export const bash: ScriptWriter = (commands) => {
  return `# Completion of skinsmith for bash, made from its commands. To use it, add to ~/.bashrc:
#   eval "$(skinsmith completion bash)"

# What can follow the command $1: commands, options, arguments; more: whether the last argument can come again.
_skinsmith_at() {
  commands='' options='' arguments=() more=''
  case $1 in
${commands.map(atCase).join('\n')}
  esac
}

${valuesFunction(commands)}
${ENGINE}`;
};

function atCase(command: CompletedCommand): string {
  const { path, commands, arguments: specs, isVariadic } = command;
  const sets = [
    `options=${posixQuoted(optionNames(command).join(' '))}`,
    ...(commands.length > 0 ? [`commands=${posixQuoted(commands.map(({ name }) => name).join(' '))}`] : []),
    ...(specs.length > 0 ? [`arguments=(${specs.map(posixQuoted).join(' ')})`] : []),
    ...(isVariadic ? ['more=1'] : []),
  ];
  return `  ${posixQuoted(path)}) ${sets.join(' ')} ;;`;
}

const ENGINE = `
# Offers the words from $2 on that begin as the one being typed. $1 stands before the part to be completed.
_skinsmith_offer() {
  local lead=$1 word
  shift
  for word; do
    word=$lead$word
    [[ $word == "$current"* ]] && COMPREPLY+=("\${word#"$kept"}")
  done
}

# Offers what $1 says (as in "words a b", "ask jobs"); $2 stands before the part to be completed.
_skinsmith_complete() {
  local spec=$1 lead=$2 line found=()
  case $spec in
  'words '*) _skinsmith_offer "$lead" \${spec#words } ;;
  'list '*)
    line=\${current#"$lead"}
    [[ $line == *,* ]] && lead=$lead\${line%,*},
    _skinsmith_offer "$lead" \${spec#list }
    ;;
  'ask '*)
    while IFS= read -r line; do
      printf -v line %q "\${line%%$'\\t'*}"
      found+=("$line")
    done < <("\${COMP_WORDS[0]}" complete "\${spec#ask }" -- "$previous" 2>/dev/null)
    _skinsmith_offer "$lead" "\${found[@]}"
    ;;
  folders)
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "\${current#"$lead"}")
    ;;
  none) compopt +o default +o bashdefault 2>/dev/null ;;
  esac
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

_skinsmith() {
  local typed=() rest=$COMP_LINE gap=1 i word
  # bash takes words apart at : and =. Put together again what has no gap between.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((gap)); then typed+=("$word"); else typed[\${#typed[@]} - 1]+=$word; fi
    rest=\${rest#"$word"} gap=0
    while [[ $rest == [[:space:]]* ]]; do rest=\${rest#?} gap=1; done
  done
  local last=$((\${#typed[@]} - 1)) current previous=''
  current=\${typed[last]}
  ((last > 0)) && previous=\${typed[last - 1]}
  # What bash keeps of the word being typed, because it took it apart.
  local kept=\${current%"\${COMP_WORDS[COMP_CWORD]}"}
  [[ \${COMP_WORDS[COMP_CWORD]} == [:=] ]] && kept=$current

  local command='' count=0 ended='' pending='' commands options arguments more values
  _skinsmith_at ''
  local globals=$options
  for ((i = 1; i < last; i++)); do
    word=\${typed[i]}
    if [[ ! $ended && $word == -- ]]; then
      ended=1
    elif [[ ! $ended && $word == -?* ]]; then
      _skinsmith_values "$command" "$word"
      if [[ $values ]] && ((++i == last)); then pending=$values; fi
    elif [[ " $commands " == *" $word "* ]]; then
      command=$command\${command:+ }$word
      _skinsmith_at "$command"
    else
      ((count++))
    fi
  done

  COMPREPLY=()
  if [[ $pending ]]; then
    _skinsmith_complete "$pending" ''
  elif [[ ! $ended && $current == --*=* ]]; then
    _skinsmith_values "$command" "\${current%%=*}"
    _skinsmith_complete "\${values:-none}" "\${current%%=*}="
  elif [[ ! $ended && $current == -* ]]; then
    [[ $command ]] && options="$options $globals"
    _skinsmith_offer '' $options
  elif [[ $commands ]]; then
    _skinsmith_offer '' $commands
  else
    if [[ $more ]] && ((count >= \${#arguments[@]})); then count=$((\${#arguments[@]} - 1)); fi
    _skinsmith_complete "\${arguments[count]:-none}" ''
  fi
}

complete -o bashdefault -o default -F _skinsmith skinsmith
`;
