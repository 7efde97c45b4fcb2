import { ProofError } from '../batch/proof/proof.ts';
import { PlayerNameError } from '../batch/sources/player-names.ts';
import { JobFailedError, type Note, ServiceError, UnreadableAnswerError } from '../index.ts';
import type { Connection } from './connect.ts';
import type { Deps } from './deps.ts';
import { CliError } from './exit.ts';
import type { Settings } from './settings.ts';

/** Connects, saying what takes long: a first start makes the signing key. */
export async function connectTelling(settings: Settings, deps: Deps): Promise<Connection> {
  const progress = await deps.talk.progress('Starting');
  try {
    return await deps.connect(settings);
  } finally {
    progress.stop();
  }
}

/** Warnings that are news to a person; each is in the JSON output as well. */
export async function tellNotes(
  notes: readonly Note[],
  label: string | undefined,
  deps: Deps,
): Promise<void> {
  for (const note of notes)
    await deps.talk.warn(label === undefined ? note.message : `${label}: ${note.message}`);
}

/** Whether the fault is this source's alone, so that it is a result; else it ends the command. */
export function concernsOneSource(error: unknown): boolean {
  if (error instanceof CliError) return error.exit === 'failed';
  if (error instanceof JobFailedError || error instanceof ProofError || error instanceof PlayerNameError)
    return true;
  const isAnswer = error instanceof ServiceError || error instanceof UnreadableAnswerError;
  return isAnswer && ![401, 403, 429, 503].includes(error.status);
}

/** Says plainly whose signature it is, where a user might believe otherwise. */
export async function tellWhoTrusts({ deps, settings }: { deps: Deps; settings: Settings }): Promise<void> {
  if ((await deps.service(settings)).name !== 'embedded') return;
  await deps.talk.note(
    "Signed with this machine's own key: servers and clients that trust it accept the skin (authlib-injector); " +
      'vanilla clients accept only skins signed by the game. Its texture is served by: skinsmith serve',
  );
}

/** Options of the command line that contradict each other or the setting. */
export function usageError(code: string, message: string, hint?: string): CliError {
  return new CliError(code, message, { exit: 'usage', hint });
}
