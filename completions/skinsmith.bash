# Completion of skinsmith for bash, made from its commands. To use it, add to ~/.bashrc:
#   eval "$(skinsmith completion bash)"

# What can follow the command $1: commands, options, arguments; more: whether the last argument can come again.
_skinsmith_at() {
  commands='' options='' arguments=() more=''
  case $1 in
  '') options='-V --version --base-url --local --no-local --insecure-http --json -q --quiet -v --verbose --color --no-color -h --help' commands='generate queue status jobs retry skins verify check preview render config login logout doctor whoami keys identities capes users accounts reports moderation serve open backup restore store help completion' ;;
  'generate') options='-r --recursive --ignore --player --from --as --fit --fetch-locally --name --variant --visibility --cape --format --ndjson --out --report --picture --lock --frozen --force --keep-signatures --prune --dry-run --max-new --retries --slots --no-verify --accept-unproven --require-signer -h --help' arguments=('files') more=1 ;;
  'queue') options='-r --recursive --ignore --player --from --as --fit --fetch-locally --name --variant --visibility --cape --format --ndjson --out --report --wait --lock --frozen --force --keep-signatures --prune --dry-run --max-new --retries --slots --no-verify --accept-unproven --require-signer -h --help' arguments=('files') more=1 ;;
  'status') options='--format --wait -h --help' arguments=('ask jobs') more=1 ;;
  'jobs') options='--status --limit --all --watch -h --help' ;;
  'retry') options='--wait -h --help' arguments=('ask jobs') more=1 ;;
  'skins') options='-h --help' commands='list get download export edit delete' ;;
  'skins list') options='--public --filter --variant --visibility --sort --limit --all -h --help' ;;
  'skins get') options='--format --picture -h --help' arguments=('ask skins') more=1 ;;
  'skins download') options='--out -h --help' arguments=('ask skins') more=1 ;;
  'skins export') options='--format --filter --variant --visibility --after --force -h --help' arguments=('files') ;;
  'skins edit') options='--name --visibility -h --help' arguments=('ask skins') more=1 ;;
  'skins delete') options='-y --yes -h --help' arguments=('ask skins') more=1 ;;
  'verify') options='--key --require-signer --offline -h --help' arguments=('files') more=1 ;;
  'check') options='--picture -r --recursive --ignore -h --help' arguments=('files') more=1 ;;
  'preview') options='--variant --out --picture -h --help' arguments=('files') ;;
  'render') options='--view --size --no-overlay --variant --cape --out -h --help' arguments=('files') ;;
  'config') options='-h --help' commands='list get set unset path' ;;
  'config list') options='-h --help' ;;
  'config get') options='-h --help' arguments=('ask settings') ;;
  'config set') options='-h --help' arguments=('ask settings' 'ask setting-values') ;;
  'config unset') options='-h --help' arguments=('ask settings') ;;
  'config path') options='-h --help' ;;
  'login') options='--key-file -h --help' arguments=('none') ;;
  'logout') options='-h --help' ;;
  'doctor') options='-h --help' ;;
  'whoami') options='-h --help' ;;
  'keys') options='-h --help' commands='create list edit revoke' ;;
  'keys create') options='--user --import --owner --data --store --name --allow-ip --allow-origin --allow-agent --scope --v2-compat --no-v2-compat -h --help' arguments=('none') ;;
  'keys list') options='--user -h --help' ;;
  'keys edit') options='--name --allow-ip --allow-origin --allow-agent --scope --v2-compat --no-v2-compat --any-ip --any-origin --any-agent -h --help' arguments=('ask keys') ;;
  'keys revoke') options='-h --help' arguments=('ask keys') more=1 ;;
  'identities') options='-h --help' commands='list delete' ;;
  'identities list') options='--user -h --help' ;;
  'identities delete') options='--user --last -h --help' arguments=('ask identities') more=1 ;;
  'capes') options='-h --help' commands='list create edit delete' ;;
  'capes list') options='--all -h --help' ;;
  'capes create') options='--alias --hidden -h --help' arguments=('files') ;;
  'capes edit') options='--alias --hide --show -h --help' arguments=('ask capes') ;;
  'capes delete') options='-h --help' arguments=('ask capes') more=1 ;;
  'users') options='-h --help' commands='create list get edit disable enable' ;;
  'users create') options='--plan -h --help' arguments=('none') ;;
  'users list') options='--limit --all -h --help' ;;
  'users get') options='-h --help' arguments=('ask users') ;;
  'users edit') options='--plan -h --help' arguments=('ask users') ;;
  'users disable') options='-h --help' arguments=('ask users') ;;
  'users enable') options='-h --help' arguments=('ask users') ;;
  'accounts') options='-h --help' commands='link list pause resume edit health unlink' ;;
  'accounts link') options='--token-file --share --no-share -h --help' arguments=('none') ;;
  'accounts list') options='-h --help' ;;
  'accounts pause') options='-h --help' arguments=('ask accounts') ;;
  'accounts resume') options='-h --help' arguments=('ask accounts') ;;
  'accounts edit') options='--share --no-share --restore --no-restore --capes --no-capes -h --help' arguments=('ask accounts') ;;
  'accounts health') options='-h --help' ;;
  'accounts unlink') options='-y --yes -h --help' arguments=('ask accounts') ;;
  'reports') options='-h --help' commands='create list close' ;;
  'reports create') options='--reason --text -h --help' arguments=('ask skins') ;;
  'reports list') options='--state --limit --all -h --help' ;;
  'reports close') options='--note -h --help' arguments=('none') more=1 ;;
  'moderation') options='-h --help' commands='hide show block unblock list log delete' ;;
  'moderation hide') options='--note -h --help' arguments=('ask skins') more=1 ;;
  'moderation show') options='--note -h --help' arguments=('ask skins') more=1 ;;
  'moderation block') options='--note -h --help' arguments=('none') more=1 ;;
  'moderation unblock') options='--note -h --help' arguments=('none') more=1 ;;
  'moderation list') options='--limit --all -h --help' ;;
  'moderation log') options='--limit --all -h --help' ;;
  'moderation delete') options='--note -y --yes -h --help' arguments=('ask skins') more=1 ;;
  'serve') options='--host --port --public-url --trust-proxy --processes --generator --workers --pace --upstream --upstream-key-file --upstream-slots --upstream-visibility --account-delay --login-client-id --no-user-accounts --data --retention --durable --max-store --signing-key --new-signing-key --account-key --store --store-connections --store-pooler --plans --no-anonymous --anonymous-per-hour --allow-origin --allow-network --no-webhooks --requests-per-minute --max-connections --max-connections-per-address --open-metrics --no-pages --oidc-issuer --oidc-client-id --oidc-secret-file --oidc-name --oidc-scopes --oidc-plan-claim --oidc-operator-claim --oidc-require-claim --log-level --log-format --log-addresses -h --help' ;;
  'open') options='--data --store --store-pooler --port --no-browser -h --help' ;;
  'backup') options='--data --verify -h --help' arguments=('files') ;;
  'restore') options='--data --force -h --help' arguments=('files') ;;
  'store') options='-h --help' commands='copy' ;;
  'store copy') options='-h --help' arguments=('none' 'none') ;;
  'help') options='-h --help' arguments=('words generate queue status jobs retry skins preview render check verify login logout whoami config doctor serve open users keys identities accounts capes reports moderation backup restore store help completion environment exit-status formats') more=1 ;;
  'completion') options='-h --help' arguments=('words bash zsh fish powershell') ;;
  esac
}

# What the value of option $2 of the command $1 can be; empty when it takes none.
_skinsmith_values() {
  values=''
  case "$1 $2" in
  'generate --ignore') values='none' ;;
  'generate --player') values='none' ;;
  'generate --from') values='files' ;;
  'generate --as') values='words file url user' ;;
  'generate --name') values='none' ;;
  'generate --variant') values='words auto classic slim' ;;
  'generate --visibility') values='words public unlisted private' ;;
  'generate --cape') values='ask capes' ;;
  'generate --format') values='list json value signature property give give-1.20.5 give-1.16 skinsrestorer citizens' ;;
  'generate --out') values='files' ;;
  'generate --report') values='words junit= html=' ;;
  'generate --picture') values='words auto blocks kitty iterm none' ;;
  'generate --lock') values='files' ;;
  'generate --max-new') values='none' ;;
  'generate --retries') values='none' ;;
  'generate --slots') values='none' ;;
  'generate --require-signer') values='words game' ;;
  'queue --ignore') values='none' ;;
  'queue --player') values='none' ;;
  'queue --from') values='files' ;;
  'queue --as') values='words file url user' ;;
  'queue --name') values='none' ;;
  'queue --variant') values='words auto classic slim' ;;
  'queue --visibility') values='words public unlisted private' ;;
  'queue --cape') values='ask capes' ;;
  'queue --format') values='list json value signature property give give-1.20.5 give-1.16 skinsrestorer citizens' ;;
  'queue --out') values='files' ;;
  'queue --report') values='words junit= html=' ;;
  'queue --lock') values='files' ;;
  'queue --max-new') values='none' ;;
  'queue --retries') values='none' ;;
  'queue --slots') values='none' ;;
  'queue --require-signer') values='words game' ;;
  'status --format') values='list json value signature property give give-1.20.5 give-1.16 skinsrestorer citizens' ;;
  'jobs --status') values='words waiting processing completed failed unknown' ;;
  'jobs --limit') values='none' ;;
  'skins list --filter') values='none' ;;
  'skins list --variant') values='words classic slim' ;;
  'skins list --visibility') values='words public unlisted private' ;;
  'skins list --sort') values='words newest popular' ;;
  'skins list --limit') values='none' ;;
  'skins get --format') values='list json value signature property give give-1.20.5 give-1.16 skinsrestorer citizens' ;;
  'skins get --picture') values='words auto blocks kitty iterm none' ;;
  'skins download --out') values='folders' ;;
  'skins export --format') values='words zip lock' ;;
  'skins export --filter') values='none' ;;
  'skins export --variant') values='words classic slim' ;;
  'skins export --visibility') values='words public unlisted private' ;;
  'skins export --after') values='ask skins' ;;
  'skins edit --name') values='none' ;;
  'skins edit --visibility') values='words public unlisted private' ;;
  'verify --key') values='files' ;;
  'verify --require-signer') values='words game' ;;
  'check --picture') values='words auto blocks kitty iterm none' ;;
  'check --ignore') values='none' ;;
  'preview --variant') values='words auto classic slim' ;;
  'preview --out') values='files' ;;
  'preview --picture') values='words auto blocks kitty iterm none' ;;
  'render --view') values='words face head bust body front back isometric' ;;
  'render --size') values='none' ;;
  'render --variant') values='words auto classic slim' ;;
  'render --cape') values='files' ;;
  'render --out') values='files' ;;
  'login --key-file') values='files' ;;
  'keys create --user') values='ask users' ;;
  'keys create --data') values='folders' ;;
  'keys create --store') values='ask services' ;;
  'keys create --name') values='none' ;;
  'keys create --allow-ip') values='none' ;;
  'keys create --allow-origin') values='none' ;;
  'keys create --allow-agent') values='none' ;;
  'keys create --scope') values='list read generate skins account operator' ;;
  'keys list --user') values='ask users' ;;
  'keys edit --name') values='none' ;;
  'keys edit --allow-ip') values='none' ;;
  'keys edit --allow-origin') values='none' ;;
  'keys edit --allow-agent') values='none' ;;
  'keys edit --scope') values='list read generate skins account operator' ;;
  'identities list --user') values='ask users' ;;
  'identities delete --user') values='ask users' ;;
  'capes create --alias') values='none' ;;
  'capes edit --alias') values='none' ;;
  'users create --plan') values='none' ;;
  'users list --limit') values='none' ;;
  'users edit --plan') values='none' ;;
  'accounts link --token-file') values='files' ;;
  'reports create --reason') values='words offensive copyright personal other' ;;
  'reports create --text') values='none' ;;
  'reports list --state') values='words open closed' ;;
  'reports list --limit') values='none' ;;
  'reports close --note') values='none' ;;
  'moderation hide --note') values='none' ;;
  'moderation show --note') values='none' ;;
  'moderation block --note') values='none' ;;
  'moderation unblock --note') values='none' ;;
  'moderation list --limit') values='none' ;;
  'moderation log --limit') values='none' ;;
  'moderation delete --note') values='none' ;;
  'serve --host') values='none' ;;
  'serve --port') values='none' ;;
  'serve --public-url') values='ask services' ;;
  'serve --trust-proxy') values='none' ;;
  'serve --processes') values='none' ;;
  'serve --generator') values='words signing accounts upstream' ;;
  'serve --workers') values='none' ;;
  'serve --pace') values='none' ;;
  'serve --upstream') values='ask services' ;;
  'serve --upstream-key-file') values='files' ;;
  'serve --upstream-slots') values='none' ;;
  'serve --upstream-visibility') values='words public unlisted private' ;;
  'serve --account-delay') values='none' ;;
  'serve --login-client-id') values='none' ;;
  'serve --data') values='folders' ;;
  'serve --retention') values='none' ;;
  'serve --max-store') values='none' ;;
  'serve --signing-key') values='files' ;;
  'serve --account-key') values='files' ;;
  'serve --store') values='ask services' ;;
  'serve --store-connections') values='none' ;;
  'serve --plans') values='files' ;;
  'serve --anonymous-per-hour') values='none' ;;
  'serve --allow-origin') values='none' ;;
  'serve --allow-network') values='none' ;;
  'serve --requests-per-minute') values='none' ;;
  'serve --max-connections') values='none' ;;
  'serve --max-connections-per-address') values='none' ;;
  'serve --oidc-issuer') values='ask services' ;;
  'serve --oidc-client-id') values='none' ;;
  'serve --oidc-secret-file') values='files' ;;
  'serve --oidc-name') values='none' ;;
  'serve --oidc-scopes') values='none' ;;
  'serve --oidc-plan-claim') values='none' ;;
  'serve --oidc-operator-claim') values='none' ;;
  'serve --oidc-require-claim') values='none' ;;
  'serve --log-level') values='words silent error warn info debug' ;;
  'serve --log-format') values='words json text' ;;
  'serve --log-addresses') values='words full short none' ;;
  'open --data') values='folders' ;;
  'open --store') values='ask services' ;;
  'open --port') values='none' ;;
  'backup --data') values='folders' ;;
  'restore --data') values='folders' ;;
  *)
    case $2 in
    '--base-url') values='ask services' ;;
    '--color') values='words auto always never' ;;
    esac
    ;;
  esac
}

# Offers the words from $2 on that begin as the one being typed. $1 stands before the part to be completed.
_skinsmith_offer() {
  local lead=$1 word
  shift
  for word; do
    word=$lead$word
    [[ $word == "$current"* ]] && COMPREPLY+=("${word#"$kept"}")
  done
}

# Offers what $1 says (as in "words a b", "ask jobs"); $2 stands before the part to be completed.
_skinsmith_complete() {
  local spec=$1 lead=$2 line found=()
  case $spec in
  'words '*) _skinsmith_offer "$lead" ${spec#words } ;;
  'list '*)
    line=${current#"$lead"}
    [[ $line == *,* ]] && lead=$lead${line%,*},
    _skinsmith_offer "$lead" ${spec#list }
    ;;
  'ask '*)
    while IFS= read -r line; do
      printf -v line %q "${line%%$'\t'*}"
      found+=("$line")
    done < <("${COMP_WORDS[0]}" complete "${spec#ask }" -- "$previous" 2>/dev/null)
    _skinsmith_offer "$lead" "${found[@]}"
    ;;
  folders)
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "${current#"$lead"}")
    ;;
  none) compopt +o default +o bashdefault 2>/dev/null ;;
  esac
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

_skinsmith() {
  local typed=() rest=$COMP_LINE gap=1 i word
  # bash takes words apart at : and =. Put together again what has no gap between.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((gap)); then typed+=("$word"); else typed[${#typed[@]} - 1]+=$word; fi
    rest=${rest#"$word"} gap=0
    while [[ $rest == [[:space:]]* ]]; do rest=${rest#?} gap=1; done
  done
  local last=$((${#typed[@]} - 1)) current previous=''
  current=${typed[last]}
  ((last > 0)) && previous=${typed[last - 1]}
  # What bash keeps of the word being typed, because it took it apart.
  local kept=${current%"${COMP_WORDS[COMP_CWORD]}"}
  [[ ${COMP_WORDS[COMP_CWORD]} == [:=] ]] && kept=$current

  local command='' count=0 ended='' pending='' commands options arguments more values
  _skinsmith_at ''
  local globals=$options
  for ((i = 1; i < last; i++)); do
    word=${typed[i]}
    if [[ ! $ended && $word == -- ]]; then
      ended=1
    elif [[ ! $ended && $word == -?* ]]; then
      _skinsmith_values "$command" "$word"
      if [[ $values ]] && ((++i == last)); then pending=$values; fi
    elif [[ " $commands " == *" $word "* ]]; then
      command=$command${command:+ }$word
      _skinsmith_at "$command"
    else
      ((count++))
    fi
  done

  COMPREPLY=()
  if [[ $pending ]]; then
    _skinsmith_complete "$pending" ''
  elif [[ ! $ended && $current == --*=* ]]; then
    _skinsmith_values "$command" "${current%%=*}"
    _skinsmith_complete "${values:-none}" "${current%%=*}="
  elif [[ ! $ended && $current == -* ]]; then
    [[ $command ]] && options="$options $globals"
    _skinsmith_offer '' $options
  elif [[ $commands ]]; then
    _skinsmith_offer '' $commands
  else
    if [[ $more ]] && ((count >= ${#arguments[@]})); then count=$((${#arguments[@]} - 1)); fi
    _skinsmith_complete "${arguments[count]:-none}" ''
  fi
}

complete -o bashdefault -o default -F _skinsmith skinsmith
