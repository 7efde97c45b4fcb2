import { posixQuoted, type ScriptWriter, valuesFunction } from './script.ts';
import type { CompletedCommand } from './tree.ts';

export const zsh: ScriptWriter = (commands) => {
  return `#compdef skinsmith
# Completion of skinsmith for zsh, made from its commands. To use it, write it to a folder of $fpath as _skinsmith,
# or add to ~/.zshrc, after compinit:
#   source <(skinsmith completion zsh)

# What can follow the command $1: commands, options, arguments; more: whether the last argument can come again.
_skinsmith_at() {
  commands=() options=() arguments=() more=''
  case $1 in
${commands.map(atCase).join('\n')}
  esac
}

${valuesFunction(commands)}
${ENGINE}`;
};

function atCase(command: CompletedCommand): string {
  const described = command.options.flatMap(({ names, description }) =>
    names.map((name) => entry(name, description)),
  );
  const sets = [
    `options=(${described.join(' ')})`,
    ...(command.commands.length > 0
      ? [`commands=(${command.commands.map(({ name, summary }) => entry(name, summary)).join(' ')})`]
      : []),
    ...(command.arguments.length > 0 ? [`arguments=(${command.arguments.map(posixQuoted).join(' ')})`] : []),
    ...(command.isVariadic ? ['more=1'] : []),
  ];
  return `  ${posixQuoted(command.path)}) ${sets.join(' ')} ;;`;
}

/** Formats values for _describe. */
function entry(name: string, description: string): string {
  return posixQuoted(`${name.replaceAll(':', String.raw`\:`)}:${description}`);
}

const ENGINE = `
# Offers what $1 says, as in "words a b" or "ask jobs".
_skinsmith_complete() {
  local line
  local -a found
  case $1 in
  'words '*)
    found=(\${=1#words })
    if [[ \${found[1]} == *= ]]; then
      if [[ $PREFIX == *=* ]]; then compset -P '*='; _files; else compadd -S '' -a found; fi
    else
      compadd -a found
    fi
    ;;
  'list '*)
    found=(\${=1#list })
    compset -P '*,'
    compadd -a found
    ;;
  'ask '*)
    while IFS= read -r line; do
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    done < <("\${(Q)words[1]}" complete "\${1#ask }" -- "\${(Q)words[CURRENT - 1]}" 2>/dev/null)
    _describe -V 'value' found
    ;;
  files) _files ;;
  folders) _files -/ ;;
  esac
}

_skinsmith() {
  local command='' ended='' pending='' more='' values='' word
  local -i i count=0
  local -a commands options arguments globals
  _skinsmith_at ''
  globals=($options)
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == -?* ]]; then
      _skinsmith_values "$command" "$word"
      if [[ -n $values ]] && ((++i == CURRENT)); then pending=$values; fi
    elif ((\${commands[(I)\${(b)word}:*]})); then
      command=$command\${command:+ }$word
      _skinsmith_at "$command"
    else
      count+=1
    fi
  done

  word=\${words[CURRENT]}
  if [[ -n $pending ]]; then
    _skinsmith_complete "$pending"
  elif [[ -z $ended && $word == --*=* ]]; then
    _skinsmith_values "$command" "\${word%%=*}"
    compset -P '--[^=]#='
    _skinsmith_complete "\${values:-none}"
  elif [[ -z $ended && $word == -* ]]; then
    [[ -n $command ]] && options+=($globals)
    _describe -o 'option' options
  elif ((\${#commands})); then
    _describe 'command' commands
  else
    if [[ -n $more ]] && ((count >= \${#arguments})); then count=$((\${#arguments} - 1)); fi
    _skinsmith_complete "\${arguments[count + 1]:-none}"
  fi
}

if [[ \${funcstack[1]} == _skinsmith ]]; then _skinsmith "$@"; else compdef _skinsmith skinsmith; fi
`;
