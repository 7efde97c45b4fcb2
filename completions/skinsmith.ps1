# Completion of skinsmith for PowerShell, made from its commands. To use it, add to $PROFILE:
#   skinsmith completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName skinsmith -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # By command: what can follow it.
    $tree = @{
        '' = @{ commands = @('generate', 'queue', 'status', 'jobs', 'skins', 'verify', 'check', 'preview', 'render', 'config', 'login', 'logout', 'doctor', 'whoami', 'keys', 'capes', 'users', 'accounts', 'serve', 'open', 'backup', 'restore', 'help', 'completion'); options = @('-V', '--version', '--base-url', '--local', '--no-local', '--insecure-http', '--json', '-q', '--quiet', '-v', '--verbose', '--color', '--no-color', '-h', '--help'); arguments = @(); more = $false }
        'generate' = @{ commands = @(); options = @('-r', '--recursive', '--ignore', '--player', '--from', '--as', '--fit', '--fetch-locally', '--name', '--variant', '--visibility', '--cape', '--format', '--ndjson', '--out', '--report', '--picture', '--lock', '--frozen', '--force', '--keep-signatures', '--prune', '--dry-run', '--max-new', '--retries', '--slots', '--no-verify', '--accept-unproven', '--require-signer', '-h', '--help'); arguments = @('files'); more = $true }
        'queue' = @{ commands = @(); options = @('-r', '--recursive', '--ignore', '--player', '--from', '--as', '--fit', '--fetch-locally', '--name', '--variant', '--visibility', '--cape', '--format', '--ndjson', '--out', '--report', '--wait', '--lock', '--frozen', '--force', '--keep-signatures', '--prune', '--dry-run', '--max-new', '--retries', '--slots', '--no-verify', '--accept-unproven', '--require-signer', '-h', '--help'); arguments = @('files'); more = $true }
        'status' = @{ commands = @(); options = @('--format', '--wait', '-h', '--help'); arguments = @('ask jobs'); more = $true }
        'jobs' = @{ commands = @(); options = @('--status', '--limit', '--all', '--watch', '-h', '--help'); arguments = @(); more = $false }
        'skins' = @{ commands = @('list', 'get', 'download', 'edit', 'delete'); options = @('-h', '--help'); arguments = @(); more = $false }
        'skins list' = @{ commands = @(); options = @('--public', '--filter', '--variant', '--visibility', '--sort', '--limit', '-h', '--help'); arguments = @(); more = $false }
        'skins get' = @{ commands = @(); options = @('--format', '--picture', '-h', '--help'); arguments = @('ask skins'); more = $true }
        'skins download' = @{ commands = @(); options = @('--out', '-h', '--help'); arguments = @('ask skins'); more = $true }
        'skins edit' = @{ commands = @(); options = @('--name', '--visibility', '-h', '--help'); arguments = @('ask skins'); more = $false }
        'skins delete' = @{ commands = @(); options = @('-y', '--yes', '-h', '--help'); arguments = @('ask skins'); more = $true }
        'verify' = @{ commands = @(); options = @('--key', '--require-signer', '--offline', '-h', '--help'); arguments = @('files'); more = $true }
        'check' = @{ commands = @(); options = @('--picture', '-r', '--recursive', '--ignore', '-h', '--help'); arguments = @('files'); more = $true }
        'preview' = @{ commands = @(); options = @('--variant', '--out', '--picture', '-h', '--help'); arguments = @('files'); more = $false }
        'render' = @{ commands = @(); options = @('--view', '--size', '--no-overlay', '--variant', '--cape', '--out', '-h', '--help'); arguments = @('files'); more = $false }
        'config' = @{ commands = @('list', 'get', 'set', 'unset', 'path'); options = @('-h', '--help'); arguments = @(); more = $false }
        'config list' = @{ commands = @(); options = @('-h', '--help'); arguments = @(); more = $false }
        'config get' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask settings'); more = $false }
        'config set' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask settings', 'ask setting-values'); more = $false }
        'config unset' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask settings'); more = $false }
        'config path' = @{ commands = @(); options = @('-h', '--help'); arguments = @(); more = $false }
        'login' = @{ commands = @(); options = @('--key-file', '-h', '--help'); arguments = @('none'); more = $false }
        'logout' = @{ commands = @(); options = @('-h', '--help'); arguments = @(); more = $false }
        'doctor' = @{ commands = @(); options = @('-h', '--help'); arguments = @(); more = $false }
        'whoami' = @{ commands = @(); options = @('-h', '--help'); arguments = @(); more = $false }
        'keys' = @{ commands = @('create', 'list', 'edit', 'revoke'); options = @('-h', '--help'); arguments = @(); more = $false }
        'keys create' = @{ commands = @(); options = @('--user', '--owner', '--data', '--name', '--allow-ip', '--allow-origin', '--allow-agent', '--scope', '--v2-compat', '--no-v2-compat', '-h', '--help'); arguments = @('none'); more = $false }
        'keys list' = @{ commands = @(); options = @('--user', '-h', '--help'); arguments = @(); more = $false }
        'keys edit' = @{ commands = @(); options = @('--name', '--allow-ip', '--allow-origin', '--allow-agent', '--scope', '--v2-compat', '--no-v2-compat', '--any-ip', '--any-origin', '--any-agent', '-h', '--help'); arguments = @('ask keys'); more = $false }
        'keys revoke' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask keys'); more = $true }
        'capes' = @{ commands = @('list', 'create', 'edit', 'delete'); options = @('-h', '--help'); arguments = @(); more = $false }
        'capes list' = @{ commands = @(); options = @('--all', '-h', '--help'); arguments = @(); more = $false }
        'capes create' = @{ commands = @(); options = @('--alias', '--hidden', '-h', '--help'); arguments = @('files'); more = $false }
        'capes edit' = @{ commands = @(); options = @('--alias', '--hide', '--show', '-h', '--help'); arguments = @('ask capes'); more = $false }
        'capes delete' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask capes'); more = $true }
        'users' = @{ commands = @('create', 'list', 'get', 'edit', 'disable', 'enable'); options = @('-h', '--help'); arguments = @(); more = $false }
        'users create' = @{ commands = @(); options = @('--plan', '-h', '--help'); arguments = @('none'); more = $false }
        'users list' = @{ commands = @(); options = @('--limit', '-h', '--help'); arguments = @(); more = $false }
        'users get' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask users'); more = $false }
        'users edit' = @{ commands = @(); options = @('--plan', '-h', '--help'); arguments = @('ask users'); more = $false }
        'users disable' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask users'); more = $false }
        'users enable' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask users'); more = $false }
        'accounts' = @{ commands = @('link', 'list', 'pause', 'resume', 'edit', 'health', 'unlink'); options = @('-h', '--help'); arguments = @(); more = $false }
        'accounts link' = @{ commands = @(); options = @('--token-file', '--share', '--no-share', '-h', '--help'); arguments = @('none'); more = $false }
        'accounts list' = @{ commands = @(); options = @('-h', '--help'); arguments = @(); more = $false }
        'accounts pause' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask accounts'); more = $false }
        'accounts resume' = @{ commands = @(); options = @('-h', '--help'); arguments = @('ask accounts'); more = $false }
        'accounts edit' = @{ commands = @(); options = @('--share', '--no-share', '--restore', '--no-restore', '--capes', '--no-capes', '-h', '--help'); arguments = @('ask accounts'); more = $false }
        'accounts health' = @{ commands = @(); options = @('-h', '--help'); arguments = @(); more = $false }
        'accounts unlink' = @{ commands = @(); options = @('-y', '--yes', '-h', '--help'); arguments = @('ask accounts'); more = $false }
        'serve' = @{ commands = @(); options = @('--host', '--port', '--public-url', '--trust-proxy', '--processes', '--generator', '--workers', '--pace', '--upstream', '--upstream-key-file', '--upstream-spots', '--upstream-visibility', '--account-delay', '--login-client-id', '--no-user-accounts', '--data', '--retention', '--durable', '--max-store', '--new-signing-key', '--plans', '--no-anonymous', '--anonymous-per-hour', '--allow-origin', '--allow-network', '--no-webhooks', '--requests-per-minute', '--max-connections', '--max-connections-per-address', '--open-metrics', '--no-pages', '--log-level', '--log-format', '--log-addresses', '-h', '--help'); arguments = @(); more = $false }
        'open' = @{ commands = @(); options = @('--data', '--port', '--no-browser', '-h', '--help'); arguments = @(); more = $false }
        'backup' = @{ commands = @(); options = @('--data', '--verify', '-h', '--help'); arguments = @('files'); more = $false }
        'restore' = @{ commands = @(); options = @('--data', '--force', '-h', '--help'); arguments = @('files'); more = $false }
        'help' = @{ commands = @(); options = @('-h', '--help'); arguments = @('words generate queue status jobs skins preview render check verify login logout whoami config doctor serve open users keys accounts capes backup restore help completion environment exit-status formats'); more = $true }
        'completion' = @{ commands = @(); options = @('-h', '--help'); arguments = @('words bash zsh fish powershell'); more = $false }
    }
    # By command and option: what the option's value can be.
    $valued = @{
        ' --base-url' = 'ask services'
        ' --color' = 'words auto always never'
        'generate --ignore' = 'none'
        'generate --player' = 'none'
        'generate --from' = 'files'
        'generate --as' = 'words file url user'
        'generate --name' = 'none'
        'generate --variant' = 'words auto classic slim'
        'generate --visibility' = 'words public unlisted private'
        'generate --cape' = 'ask capes'
        'generate --format' = 'list json value signature property give give-1.20.5 give-1.16 skinsrestorer citizens'
        'generate --out' = 'files'
        'generate --report' = 'words junit= html='
        'generate --picture' = 'words auto blocks kitty iterm none'
        'generate --lock' = 'files'
        'generate --max-new' = 'none'
        'generate --retries' = 'none'
        'generate --slots' = 'none'
        'generate --require-signer' = 'words game'
        'queue --ignore' = 'none'
        'queue --player' = 'none'
        'queue --from' = 'files'
        'queue --as' = 'words file url user'
        'queue --name' = 'none'
        'queue --variant' = 'words auto classic slim'
        'queue --visibility' = 'words public unlisted private'
        'queue --cape' = 'ask capes'
        'queue --format' = 'list json value signature property give give-1.20.5 give-1.16 skinsrestorer citizens'
        'queue --out' = 'files'
        'queue --report' = 'words junit= html='
        'queue --lock' = 'files'
        'queue --max-new' = 'none'
        'queue --retries' = 'none'
        'queue --slots' = 'none'
        'queue --require-signer' = 'words game'
        'status --format' = 'list json value signature property give give-1.20.5 give-1.16 skinsrestorer citizens'
        'jobs --status' = 'words waiting processing completed failed unknown'
        'jobs --limit' = 'none'
        'skins list --filter' = 'none'
        'skins list --variant' = 'words classic slim'
        'skins list --visibility' = 'words public unlisted private'
        'skins list --sort' = 'words newest popular'
        'skins list --limit' = 'none'
        'skins get --format' = 'list json value signature property give give-1.20.5 give-1.16 skinsrestorer citizens'
        'skins get --picture' = 'words auto blocks kitty iterm none'
        'skins download --out' = 'folders'
        'skins edit --name' = 'none'
        'skins edit --visibility' = 'words public unlisted private'
        'verify --key' = 'files'
        'verify --require-signer' = 'words game'
        'check --picture' = 'words auto blocks kitty iterm none'
        'check --ignore' = 'none'
        'preview --variant' = 'words auto classic slim'
        'preview --out' = 'files'
        'preview --picture' = 'words auto blocks kitty iterm none'
        'render --view' = 'words face head bust body front back isometric'
        'render --size' = 'none'
        'render --variant' = 'words auto classic slim'
        'render --cape' = 'files'
        'render --out' = 'files'
        'login --key-file' = 'files'
        'keys create --user' = 'ask users'
        'keys create --data' = 'folders'
        'keys create --name' = 'none'
        'keys create --allow-ip' = 'none'
        'keys create --allow-origin' = 'none'
        'keys create --allow-agent' = 'none'
        'keys create --scope' = 'list read generate skins account operator'
        'keys list --user' = 'ask users'
        'keys edit --name' = 'none'
        'keys edit --allow-ip' = 'none'
        'keys edit --allow-origin' = 'none'
        'keys edit --allow-agent' = 'none'
        'keys edit --scope' = 'list read generate skins account operator'
        'capes create --alias' = 'none'
        'capes edit --alias' = 'none'
        'users create --plan' = 'none'
        'users list --limit' = 'none'
        'users edit --plan' = 'none'
        'accounts link --token-file' = 'files'
        'serve --host' = 'none'
        'serve --port' = 'none'
        'serve --public-url' = 'ask services'
        'serve --trust-proxy' = 'none'
        'serve --processes' = 'none'
        'serve --generator' = 'words signing accounts upstream'
        'serve --workers' = 'none'
        'serve --pace' = 'none'
        'serve --upstream' = 'ask services'
        'serve --upstream-key-file' = 'files'
        'serve --upstream-spots' = 'none'
        'serve --upstream-visibility' = 'words public unlisted private'
        'serve --account-delay' = 'none'
        'serve --login-client-id' = 'ask keys'
        'serve --data' = 'folders'
        'serve --retention' = 'none'
        'serve --max-store' = 'none'
        'serve --plans' = 'files'
        'serve --anonymous-per-hour' = 'none'
        'serve --allow-origin' = 'none'
        'serve --allow-network' = 'none'
        'serve --requests-per-minute' = 'none'
        'serve --max-connections' = 'none'
        'serve --max-connections-per-address' = 'none'
        'serve --log-level' = 'words silent error warn info debug'
        'serve --log-format' = 'words json text'
        'serve --log-addresses' = 'words full short none'
        'open --data' = 'folders'
        'open --port' = 'none'
        'backup --data' = 'folders'
        'restore --data' = 'folders'
    }
    # What commands and options are for.
    $about = @{
        ' generate' = 'make skins and print their values and signatures'
        ' queue' = 'submit skins to the queue without waiting for them'
        ' status' = 'show the status of jobs'
        ' jobs' = 'list your jobs'
        ' skins' = 'list, print, download, edit and delete skins'
        ' verify' = 'verify signatures and textures of saved skins'
        ' check' = 'check PNG files without sending them anywhere'
        ' preview' = 'show a skin in the terminal'
        ' render' = 'draw a skin as a PNG file'
        ' config' = 'manage settings'
        ' login' = 'store an API key for a service'
        ' logout' = 'remove the API key for a service'
        ' doctor' = 'find problems with your setup'
        ' whoami' = 'show your user, plan and limits'
        ' keys' = 'manage API keys of a service'
        ' capes' = 'list and manage capes'
        ' users' = 'manage users of a service'
        ' accounts' = 'manage the game accounts that make skins'
        ' serve' = 'run a skinsmith service'
        ' open' = 'open the pages of the service in a browser'
        ' backup' = 'back up a service''s data to one file'
        ' restore' = 'restore a backup'
        ' help' = 'show help for a command or a topic'
        ' completion' = 'print a completion script for a shell'
        ' -V' = 'print the version'
        ' --version' = 'print the version'
        ' --base-url' = 'service to use (default: the embedded one)'
        ' --local' = 'use the embedded service, even if another one is set'
        ' --no-local' = 'never fall back to the embedded service'
        ' --insecure-http' = 'allow sending the API key over plain http to public addresses'
        ' --json' = 'print the result as one JSON document'
        ' -q' = 'print only errors on stderr'
        ' --quiet' = 'print only errors on stderr'
        ' -v' = 'print each request on stderr'
        ' --verbose' = 'print each request on stderr'
        ' --color' = 'use colours'
        ' --no-color' = 'same as --color never'
        ' -h' = 'print help'
        ' --help' = 'print help'
        'generate -r' = 'recurse into subfolders'
        'generate --recursive' = 'recurse into subfolders'
        'generate --ignore' = 'skip files that match this .gitignore pattern (repeatable)'
        'generate --player' = 'use the skin of a player, by name or UUID (repeatable)'
        'generate --from' = 'read sources from a list of lines, CSV or NDJSON; - for stdin (repeatable)'
        'generate --as' = 'what kind of sources these are, if that is ambiguous'
        'generate --fit' = 'scale HD skins (128×128 and other multiples) down instead of refusing them'
        'generate --fetch-locally' = 'fetch URLs from this machine, including private networks, and upload the pictures'
        'generate --name' = 'name of the skin (default: the file name)'
        'generate --variant' = 'arm variant; auto detects it from the picture'
        'generate --visibility' = 'who can find the skin'
        'generate --cape' = 'UUID or alias of a cape for the skin (see skinsmith capes list)'
        'generate --format' = 'what to print or write for each skin, comma-separated: json, value, signature, property, give, give-1.20.5, give-1.16, skinsrestorer, citizens'
        'generate --ndjson' = 'print one line of JSON per result as it arrives'
        'generate --out' = 'write one file per source into this folder (for a single source: to this file)'
        'generate --report' = 'write a report: junit or html (repeatable)'
        'generate --picture' = 'how to draw the skin in a terminal'
        'generate --lock' = 'lockfile (default: skins.lock in the --out folder)'
        'generate --frozen' = 'use only the lockfile, without network; exit with 3 if a skin is missing'
        'generate --force' = 'make skins again even if the lockfile has them'
        'generate --keep-signatures' = 'keep the skins in the lockfile, from any signer'
        'generate --prune' = 'remove skins without a source from the lockfile'
        'generate --dry-run' = 'show what would be done and how long it would take'
        'generate --max-new' = 'make at most this many new skins'
        'generate --retries' = 'how often to retry temporary failures (default: 2)'
        'generate --slots' = 'maximum number of queue slots to use'
        'generate --no-verify' = 'do not fetch the textures of results to compare their pixels'
        'generate --accept-unproven' = 'accept skins that cannot be proven to match their sources'
        'generate --require-signer' = 'fail skins that were not signed by this signer: game, the address of a service, or the fingerprint of a key'
        'generate -h' = 'print help'
        'generate --help' = 'print help'
        'queue -r' = 'recurse into subfolders'
        'queue --recursive' = 'recurse into subfolders'
        'queue --ignore' = 'skip files that match this .gitignore pattern (repeatable)'
        'queue --player' = 'use the skin of a player, by name or UUID (repeatable)'
        'queue --from' = 'read sources from a list of lines, CSV or NDJSON; - for stdin (repeatable)'
        'queue --as' = 'what kind of sources these are, if that is ambiguous'
        'queue --fit' = 'scale HD skins (128×128 and other multiples) down instead of refusing them'
        'queue --fetch-locally' = 'fetch URLs from this machine, including private networks, and upload the pictures'
        'queue --name' = 'name of the skin (default: the file name)'
        'queue --variant' = 'arm variant; auto detects it from the picture'
        'queue --visibility' = 'who can find the skin'
        'queue --cape' = 'UUID or alias of a cape for the skin (see skinsmith capes list)'
        'queue --format' = 'what to print or write for each skin, comma-separated: json, value, signature, property, give, give-1.20.5, give-1.16, skinsrestorer, citizens'
        'queue --ndjson' = 'print one line of JSON per result as it arrives'
        'queue --out' = 'write one file per source into this folder (for a single source: to this file)'
        'queue --report' = 'write a report: junit or html (repeatable)'
        'queue --wait' = 'wait for the jobs and print the skins'
        'queue --lock' = 'lockfile (default: skins.lock in the --out folder)'
        'queue --frozen' = 'use only the lockfile, without network; exit with 3 if a skin is missing'
        'queue --force' = 'make skins again even if the lockfile has them'
        'queue --keep-signatures' = 'keep the skins in the lockfile, from any signer'
        'queue --prune' = 'remove skins without a source from the lockfile'
        'queue --dry-run' = 'show what would be done and how long it would take'
        'queue --max-new' = 'make at most this many new skins'
        'queue --retries' = 'how often to retry temporary failures (default: 2)'
        'queue --slots' = 'maximum number of queue slots to use'
        'queue --no-verify' = 'do not fetch the textures of results to compare their pixels'
        'queue --accept-unproven' = 'accept skins that cannot be proven to match their sources'
        'queue --require-signer' = 'fail skins that were not signed by this signer: game, the address of a service, or the fingerprint of a key'
        'queue -h' = 'print help'
        'queue --help' = 'print help'
        'status --format' = 'what to print or write for each skin, comma-separated: json, value, signature, property, give, give-1.20.5, give-1.16, skinsrestorer, citizens'
        'status --wait' = 'wait until no job is pending'
        'status -h' = 'print help'
        'status --help' = 'print help'
        'jobs --status' = 'show only jobs with this status'
        'jobs --limit' = 'maximum number of jobs to list (default: 30)'
        'jobs --all' = 'list all jobs that the service remembers'
        'jobs --watch' = 'show pending jobs and then every change until interrupted; with --json, one line per change'
        'jobs -h' = 'print help'
        'jobs --help' = 'print help'
        'skins list' = 'list skins'
        'skins get' = 'print skins with their values and signatures'
        'skins download' = 'save textures as PNG files'
        'skins edit' = 'edit the name or visibility of a skin'
        'skins delete' = 'delete skins'
        'skins -h' = 'print help'
        'skins --help' = 'print help'
        'skins list --public' = 'list the public skins of all users'
        'skins list --filter' = 'list only skins whose names contain all of these words'
        'skins list --variant' = 'list only skins with this arm variant'
        'skins list --visibility' = 'list only your skins with this visibility'
        'skins list --sort' = 'order; popular puts the most viewed first'
        'skins list --limit' = 'maximum number of skins to list (default: 30)'
        'skins list -h' = 'print help'
        'skins list --help' = 'print help'
        'skins get --format' = 'what to print or write for each skin, comma-separated: json, value, signature, property, give, give-1.20.5, give-1.16, skinsrestorer, citizens'
        'skins get --picture' = 'how to draw the skin in a terminal'
        'skins get -h' = 'print help'
        'skins get --help' = 'print help'
        'skins download --out' = 'folder for the files (default: the current folder)'
        'skins download -h' = 'print help'
        'skins download --help' = 'print help'
        'skins edit --name' = 'new name; an empty one ("") removes the name'
        'skins edit --visibility' = 'who can find the skin'
        'skins edit -h' = 'print help'
        'skins edit --help' = 'print help'
        'skins delete -y' = 'do not ask for confirmation'
        'skins delete --yes' = 'do not ask for confirmation'
        'skins delete -h' = 'print help'
        'skins delete --help' = 'print help'
        'verify --key' = 'public key that must have signed every skin (PEM)'
        'verify --require-signer' = 'fail skins that were not signed by this signer: game, the address of a service, or the fingerprint of a key'
        'verify --offline' = 'do not contact any service or fetch any texture'
        'verify -h' = 'print help'
        'verify --help' = 'print help'
        'check --picture' = 'how to draw the skin in a terminal'
        'check -r' = 'recurse into subfolders'
        'check --recursive' = 'recurse into subfolders'
        'check --ignore' = 'skip files that match this .gitignore pattern (repeatable)'
        'check -h' = 'print help'
        'check --help' = 'print help'
        'preview --variant' = 'arm variant; auto detects it from the picture'
        'preview --out' = 'write front and back to this PNG file'
        'preview --picture' = 'how to draw the skin in a terminal'
        'preview -h' = 'print help'
        'preview --help' = 'print help'
        'render --view' = 'what to draw (default: body)'
        'render --size' = 'height of the picture, 8 to 1024 (default: 512)'
        'render --no-overlay' = 'leave out the outer layer'
        'render --variant' = 'arm variant; auto detects it from the picture'
        'render --cape' = 'PNG file of a cape, for the view back'
        'render --out' = 'PNG file to write, or - for stdout'
        'render -h' = 'print help'
        'render --help' = 'print help'
        'config list' = 'list settings and where each comes from'
        'config get' = 'print one setting'
        'config set' = 'change a setting'
        'config unset' = 'remove a setting'
        'config path' = 'print the path of the config file'
        'config -h' = 'print help'
        'config --help' = 'print help'
        'config list -h' = 'print help'
        'config list --help' = 'print help'
        'config get -h' = 'print help'
        'config get --help' = 'print help'
        'config set -h' = 'print help'
        'config set --help' = 'print help'
        'config unset -h' = 'print help'
        'config unset --help' = 'print help'
        'config path -h' = 'print help'
        'config path --help' = 'print help'
        'login --key-file' = 'read the key from this file'
        'login -h' = 'print help'
        'login --help' = 'print help'
        'logout -h' = 'print help'
        'logout --help' = 'print help'
        'doctor -h' = 'print help'
        'doctor --help' = 'print help'
        'whoami -h' = 'print help'
        'whoami --help' = 'print help'
        'keys create' = 'create an API key'
        'keys list' = 'list API keys'
        'keys edit' = 'edit an API key'
        'keys revoke' = 'revoke API keys'
        'keys -h' = 'print help'
        'keys --help' = 'print help'
        'keys create --user' = 'user that the key is for, created if new (operators only; default: yourself)'
        'keys create --owner' = 'create a key for the owner of the data on this machine; needs no key and no running service'
        'keys create --data' = 'data folder of the service, with --owner'
        'keys create --name' = 'name of the key'
        'keys create --allow-ip' = 'accept the key only from this address or network (CIDR) (repeatable)'
        'keys create --allow-origin' = 'accept the key only from pages of this origin (repeatable)'
        'keys create --allow-agent' = 'accept the key only from this program, such as MyApp for MyApp/1.0 (repeatable)'
        'keys create --scope' = 'what the key may do: read, generate, skins, account, operator (repeatable or comma-separated)'
        'keys create --v2-compat' = 'route version 1 requests with this key through the version 2 queue'
        'keys create --no-v2-compat' = 'do not route them through the queue'
        'keys create -h' = 'print help'
        'keys create --help' = 'print help'
        'keys list --user' = 'list the keys of this user (operators only; default: yourself)'
        'keys list -h' = 'print help'
        'keys list --help' = 'print help'
        'keys edit --name' = 'name of the key'
        'keys edit --allow-ip' = 'accept the key only from this address or network (CIDR) (repeatable)'
        'keys edit --allow-origin' = 'accept the key only from pages of this origin (repeatable)'
        'keys edit --allow-agent' = 'accept the key only from this program, such as MyApp for MyApp/1.0 (repeatable)'
        'keys edit --scope' = 'what the key may do: read, generate, skins, account, operator (repeatable or comma-separated)'
        'keys edit --v2-compat' = 'route version 1 requests with this key through the version 2 queue'
        'keys edit --no-v2-compat' = 'do not route them through the queue'
        'keys edit --any-ip' = 'accept the key from any address again'
        'keys edit --any-origin' = 'accept the key from any page again'
        'keys edit --any-agent' = 'accept the key from any program again'
        'keys edit -h' = 'print help'
        'keys edit --help' = 'print help'
        'keys revoke -h' = 'print help'
        'keys revoke --help' = 'print help'
        'capes list' = 'list capes'
        'capes create' = 'add a cape'
        'capes edit' = 'rename, hide or show a cape'
        'capes delete' = 'delete capes'
        'capes -h' = 'print help'
        'capes --help' = 'print help'
        'capes list --all' = 'list hidden capes of a skinsmith service as well (operators only)'
        'capes list -h' = 'print help'
        'capes list --help' = 'print help'
        'capes create --alias' = 'name of the cape (default: the file name)'
        'capes create --hidden' = 'do not let anybody use the cape yet'
        'capes create -h' = 'print help'
        'capes create --help' = 'print help'
        'capes edit --alias' = 'new name of the cape'
        'capes edit --hide' = 'stop letting anybody use the cape'
        'capes edit --show' = 'let everybody use the cape again'
        'capes edit -h' = 'print help'
        'capes edit --help' = 'print help'
        'capes delete -h' = 'print help'
        'capes delete --help' = 'print help'
        'users create' = 'create a user'
        'users list' = 'list users'
        'users get' = 'print a user'
        'users edit' = 'change a user''s plan'
        'users disable' = 'disable a user'
        'users enable' = 'enable a disabled user'
        'users -h' = 'print help'
        'users --help' = 'print help'
        'users create --plan' = 'plan of the user (default: free)'
        'users create -h' = 'print help'
        'users create --help' = 'print help'
        'users list --limit' = 'maximum number of users to list (default: 100)'
        'users list -h' = 'print help'
        'users list --help' = 'print help'
        'users get -h' = 'print help'
        'users get --help' = 'print help'
        'users edit --plan' = 'new plan of the user'
        'users edit -h' = 'print help'
        'users edit --help' = 'print help'
        'users disable -h' = 'print help'
        'users disable --help' = 'print help'
        'users enable -h' = 'print help'
        'users enable --help' = 'print help'
        'accounts link' = 'link a game account'
        'accounts list' = 'list game accounts'
        'accounts pause' = 'stop using a game account for now'
        'accounts resume' = 'resume using a paused game account'
        'accounts edit' = 'edit settings of a game account'
        'accounts health' = 'check the health of game accounts'
        'accounts unlink' = 'unlink a game account'
        'accounts -h' = 'print help'
        'accounts --help' = 'print help'
        'accounts link --token-file' = 'read a token from this file'
        'accounts link --share' = 'make skins for all users with the account (default for operators)'
        'accounts link --no-share' = 'make only your own skins with the account (default for other users)'
        'accounts link -h' = 'print help'
        'accounts link --help' = 'print help'
        'accounts list -h' = 'print help'
        'accounts list --help' = 'print help'
        'accounts pause -h' = 'print help'
        'accounts pause --help' = 'print help'
        'accounts resume -h' = 'print help'
        'accounts resume --help' = 'print help'
        'accounts edit --share' = 'make skins for all users with the account'
        'accounts edit --no-share' = 'make skins only for the user who linked the account'
        'accounts edit --restore' = 'restore the own skin of the account after ten idle minutes and when the service stops'
        'accounts edit --no-restore' = 'leave the last skin on the account'
        'accounts edit --capes' = 'allow the cape of the account in results'
        'accounts edit --no-capes' = 'hide the cape of the account before making skins'
        'accounts edit -h' = 'print help'
        'accounts edit --help' = 'print help'
        'accounts health -h' = 'print help'
        'accounts health --help' = 'print help'
        'accounts unlink -y' = 'do not ask for confirmation'
        'accounts unlink --yes' = 'do not ask for confirmation'
        'accounts unlink -h' = 'print help'
        'accounts unlink --help' = 'print help'
        'serve --host' = 'address to listen on (default: 127.0.0.1, this machine only)'
        'serve --port' = 'port to listen on; 0 for any free port (default: 7546)'
        'serve --public-url' = 'address under which players reach the service, for texture URLs'
        'serve --trust-proxy' = 'proxies whose X-Forwarded-For header to trust: loopback, addresses, networks (default: none)'
        'serve --processes' = 'number of processes that serve; auto for one per core (default: 1)'
        'serve --generator' = 'what makes the skins: the signing key of this service, linked game accounts, or another service (default: signing)'
        'serve --workers' = 'number of jobs to generate at the same time; 0 for none (default: cores + 1, at most 4)'
        'serve --pace' = 'minimum time for each generation, to simulate a slow service'
        'serve --upstream' = 'address of the other service, for the generator upstream'
        'serve --upstream-key-file' = 'file with the API key for the other service'
        'serve --upstream-spots' = 'maximum number of jobs in the other service''s queue (default: what the key''s plan allows)'
        'serve --upstream-visibility' = 'visibility of skins at the other service; private skins stay private if the plan allows it (default: unlisted)'
        'serve --account-delay' = 'minimum time between two skins made with one game account (default: 15)'
        'serve --login-client-id' = 'ID of your Microsoft application, approved for the game, for linking accounts'
        'serve --no-user-accounts' = 'only operators may link game accounts (default: every user may)'
        'serve --data' = 'data folder, with the store and the signing key'
        'serve --retention' = 'how long to keep finished jobs (default: 168)'
        'serve --durable' = 'flush every accepted job to disk, so that it survives a power cut'
        'serve --max-store' = 'size of the store in MB at which it stops accepting new skins (default: 10240)'
        'serve --new-signing-key' = 'start even if the signing key is missing or is not the one that signed the store''s skins'
        'serve --plans' = 'JSON file with plans (default: plans.json in the data folder)'
        'serve --no-anonymous' = 'refuse requests without an API key'
        'serve --anonymous-per-hour' = 'maximum number of new skins per hour for all callers without an API key (default: 5000)'
        'serve --allow-origin' = 'origin of web pages that may make skins without an API key; * for any (repeatable)'
        'serve --allow-network' = 'private network that webhooks and picture URLs may point to, such as 10.0.0.0/8 (repeatable)'
        'serve --no-webhooks' = 'refuse callback URLs and send no webhooks'
        'serve --requests-per-minute' = 'maximum number of requests per minute from an address without a key (default: 6000)'
        'serve --max-connections' = 'maximum number of open connections (default: 2000)'
        'serve --max-connections-per-address' = 'maximum number of open connections of an address without a valid key (default: 100)'
        'serve --open-metrics' = 'allow reading /metrics without an operator''s key'
        'serve --no-pages' = 'serve the API only, without pages for browsers'
        'serve --log-level' = 'what to log on stderr (default: info)'
        'serve --log-format' = 'log format; text shows requests only with --verbose (default: text on a terminal, otherwise json)'
        'serve --log-addresses' = 'how to log the callers'' addresses; short logs only the network (default: short)'
        'serve -h' = 'print help'
        'serve --help' = 'print help'
        'open --data' = 'data folder of the service'
        'open --port' = 'port to listen on if no service runs; 0 for any free port (default: 7546)'
        'open --no-browser' = 'print the link and open nothing'
        'open -h' = 'print help'
        'open --help' = 'print help'
        'backup --data' = 'data folder of the service'
        'backup --verify' = 'check an existing backup and write nothing'
        'backup -h' = 'print help'
        'backup --help' = 'print help'
        'restore --data' = 'data folder of the service'
        'restore --force' = 'move existing data into a folder with the date in its name'
        'restore -h' = 'print help'
        'restore --help' = 'print help'
        'help -h' = 'print help'
        'help --help' = 'print help'
        'completion -h' = 'print help'
        'completion --help' = 'print help'
    }

    $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
            Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    $path = ''; $count = 0; $ended = $false; $spec = ''
    for ($i = 0; $i -lt $typed.Count; $i++) {
        $word = $typed[$i]
        if (-not $ended -and $word -eq '--') { $ended = $true }
        elseif (-not $ended -and $word -like '-?*') {
            $values = $valued["$path $word"]
            if (-not $values) { $values = $valued[" $word"] }
            if ($values) {
                $i++
                if ($i -eq $typed.Count) { $spec = $values }
            }
        }
        elseif ($tree[$path].commands -contains $word) { $path = "$path $word".Trim() }
        else { $count++ }
    }
    $here = $tree[$path]
    $offers = @()
    if (-not $spec) {
        if (-not $ended -and $wordToComplete -like '-*') {
            $offers = $here.options + $tree[''].options | Select-Object -Unique
        }
        elseif ($here.commands.Count -gt 0) { $offers = $here.commands }
        elseif ($here.arguments.Count -gt 0) {
            if ($here.more -and $count -ge $here.arguments.Count) { $count = $here.arguments.Count - 1 }
            if ($count -lt $here.arguments.Count) { $spec = $here.arguments[$count] }
        }
    }
    $kind, $words = $spec -split ' '
    $lead = ''
    $notes = @{}
    if ($kind -eq 'words') { $offers = $words }
    elseif ($kind -eq 'list') {
        if ($wordToComplete -match '^.*,') { $lead = $Matches[0] }
        $offers = $words
    }
    elseif ($kind -eq 'ask') {
        $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
        $offers = @(& $commandAst.CommandElements[0].Value complete $words -- $previous 2>$null | ForEach-Object {
                $value, $note = $_ -split "`t", 2
                $notes[$value] = $note
                $value
            })
    }
    $offers | Where-Object { "$lead$_".StartsWith($wordToComplete) } | ForEach-Object {
        $note = $notes[$_]
        if (-not $note) { $note = $about["$path $_"] }
        if (-not $note) { $note = $about[" $_"] }
        if (-not $note) { $note = $_ }
        [System.Management.Automation.CompletionResult]::new("$lead$_", $_, 'ParameterValue', $note)
    }
}
