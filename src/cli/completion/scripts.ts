import type { Command } from 'commander';
import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { powershell } from './powershell.ts';
import type { ScriptWriter } from './script.ts';
import type { Shell } from './shells.ts';
import { completedCommands } from './tree.ts';
import { zsh } from './zsh.ts';

const WRITERS = { bash, zsh, fish, powershell } satisfies Record<Shell, ScriptWriter>;

/** The completion script of a shell, from the whole command tree. */
export function completionScript(shell: Shell, program: Command): string {
  return WRITERS[shell](completedCommands(program));
}
