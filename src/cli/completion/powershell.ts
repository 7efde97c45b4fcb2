import { optionNames, type ScriptWriter, valuedNames } from './script.ts';
import type { CompletedCommand } from './tree.ts';

export const powershell: ScriptWriter = (
  commands,
) => `# Completion of skinsmith for PowerShell, made from its commands. To use it, add to $PROFILE:
#   skinsmith completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName skinsmith -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # By command: what can follow it.
    $tree = @{
${commands.map(treeLine).join('\n')}
    }
    # By command and option: what the option's value can be.
    $valued = [hashtable]::new()
${commands.flatMap(valuedLines).join('\n')}
    # What commands and options are for.
    $about = [hashtable]::new()
${commands.flatMap(aboutLines).join('\n')}
${ENGINE}}
`;

function treeLine(command: CompletedCommand): string {
  const { path, commands, arguments: specs, isVariadic } = command;
  const fields = [
    `commands = ${list(commands.map(({ name }) => name))}`,
    `options = ${list(optionNames(command))}`,
    `arguments = ${list(specs)}`,
    `more = $${isVariadic}`,
  ];
  return `        ${quoted(path)} = @{ ${fields.join('; ')} }`;
}

function valuedLines(command: CompletedCommand): string[] {
  return valuedNames(command).map(({ name, values }) => entry('valued', `${command.path} ${name}`, values));
}

function aboutLines({ path, commands, options }: CompletedCommand): string[] {
  const lines = [
    ...commands.map(({ name, summary }) => [`${path} ${name}`, summary] as const),
    ...options.flatMap(({ names, description }) =>
      names.map((name) => [`${path} ${name}`, description] as const),
    ),
  ];
  return lines.map(([name, text]) => entry('about', name, text));
}

/** PowerShell ignores case in `@{…}`, where -v and -V would be the same key twice, which is a syntax error. */
function entry(table: 'valued' | 'about', key: string, value: string): string {
  return `    $${table}[${quoted(key)}] = ${quoted(value)}`;
}

function list(words: readonly string[]): string {
  return `@(${words.map(quoted).join(', ')})`;
}

/** PowerShell also accepts typographic quotes as quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}

const ENGINE = `
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
    $notes = [hashtable]::new()
    if ($kind -eq 'words') { $offers = $words }
    elseif ($kind -eq 'list') {
        if ($wordToComplete -match '^.*,') { $lead = $Matches[0] }
        $offers = $words
    }
    elseif ($kind -eq 'ask') {
        $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
        $program = $commandAst.CommandElements[0].Value
        $offers = @(& $program complete $words -- $previous 2>$null | ForEach-Object {
                $value, $note = $_ -split "\`t", 2
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
`;
