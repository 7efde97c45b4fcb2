import type { Note } from '../index.ts';
import type { Connection } from './connect.ts';
import { concernsOneSource } from './convert.ts';
import type { Deps } from './deps.ts';
import { CliError } from './exit.ts';
import { type ResultView, resultView } from './output/views.ts';
import type { Settings } from './settings.ts';
import type { NamedSource } from './sources.ts';
import { type ToldError, tellable } from './told-error.ts';

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

/**
 * Tells of a failure that is this source's alone and answers what it was; one that would meet every
 * other source too (no service, no right) is thrown on and ends the command.
 */
export async function tellOneFailure(error: unknown, named: NamedSource, deps: Deps): Promise<ToldError> {
  const told = tellable(error);
  if (!told || !concernsOneSource(error)) throw error;
  const message = told.message.startsWith(named.label) ? told.message : `${named.label}: ${told.message}`;
  await deps.talk.failure({ ...told, message });
  return told;
}

export function failedResult(named: NamedSource, told: ToldError): ResultView {
  return resultView({ source: named.label, error: told });
}

/** Says plainly whose signature it is, where a user might believe otherwise. */
export async function tellWhoTrusts(connection: Connection, deps: Deps): Promise<void> {
  if (!connection.isEmbedded) return;
  await deps.talk.note(
    "Signed with this machine's own key: servers and clients that trust it accept the skin (authlib-injector); " +
      'vanilla clients accept only skins signed by the game. Its texture is served by: skinsmith serve',
  );
}

/** Options of the command line that contradict each other or the setting. */
export function usageError(code: string, message: string, hint?: string): CliError {
  return new CliError(code, message, { exit: 'usage', hint });
}
