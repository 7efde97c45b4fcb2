import type { Command } from 'commander';
import type { CommandContext, Runner } from '../context/context.ts';
import { exitStatus, usageError } from '../errors/exit.ts';
import type { Examples } from '../help/help-page.ts';
import type { CommandOutput } from '../output/described.ts';

export const examples: Examples = [
  ['Remove the key for a hosted service', 'skinsmith logout --base-url https://api.mineskin.org'],
  ['Remove the key for another service', 'skinsmith logout --base-url https://skins.example.org'],
];

export const output: readonly CommandOutput[] = [];

export function register(command: Command, runner: Runner, run = runLogout): void {
  command.description('Remove the stored API key for a service.').action(async () => await runner(run));
}

export async function runLogout(context: CommandContext): Promise<number> {
  const baseUrl = (await context.settings())['base-url'];
  if (baseUrl === undefined) {
    throw usageError(
      'no_service',
      'No service is set.',
      'Name the service: skinsmith logout --base-url https://…',
    );
  }
  const forgotten = await context.configFile.forgetKey(baseUrl);
  context.messages.say(forgotten ? `Removed the key for ${baseUrl}.` : `No key is stored for ${baseUrl}.`);
  if (context.env['SKINSMITH_API_KEY']) await context.messages.warn('SKINSMITH_API_KEY is still set.');
  return exitStatus('done');
}
