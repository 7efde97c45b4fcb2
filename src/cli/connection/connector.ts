import { type AccountClient, ServiceError, UnreadableAnswerError } from '../../index.ts';
import type { SettingName, Settings } from '../config/settings.ts';
import { CliError } from '../errors/exit.ts';
import type { Messages } from '../terminal/messages.ts';
import type { Connection } from './connect.ts';

/** What a request needs to reach the configured service. */
export interface Connector {
  readonly messages: Messages;
  /** Aborted on Ctrl-C, SIGTERM or a closed pipe. */
  readonly signal: AbortSignal;
  /** Flags typed > environment > config file. @throws CliError */
  settings(typed?: Partial<Record<SettingName, unknown>>): Promise<Settings>;
  /** The service, connected to (or started) once and closed when the command ends. */
  connect(settings: Settings): Promise<Connection>;
}

/** Connects, and reports slow steps: the first start generates the signing key. */
export async function connectWithProgress(
  settings: Settings,
  context: Pick<Connector, 'connect' | 'messages'>,
): Promise<Connection> {
  const progress = await context.messages.progress('Starting');
  try {
    return await context.connect(settings);
  } finally {
    progress.stop();
  }
}

/** Calls `work` with the service's account manager. @throws CliError `no_account_api` when the service has none */
export async function withAccount<T>(
  context: Connector,
  work: (account: AccountClient) => Promise<T>,
): Promise<T> {
  const { client } = await connectWithProgress(await context.settings(), context);
  try {
    return await work(client.account);
  } catch (cause) {
    if (!mayBeForeign(cause) || (await hasKeys(client.account, context.signal))) throw cause;
    throw new CliError('no_account_api', `${client.baseUrl} cannot manage keys and users.`, {
      hint:
        'Only a skinsmith service can. Manage keys of the hosted service on its account site; ' +
        'to store one, use skinsmith login.',
      cause,
    });
  }
}

/** Whether the error means "not found", for the resource or for the account manager as a whole. */
function mayBeForeign(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 404 || error.status === 405;
  return error instanceof UnreadableAnswerError && !error.isPassing;
}

async function hasKeys(account: AccountClient, signal: AbortSignal): Promise<boolean> {
  try {
    await account.keys(undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    return !mayBeForeign(error);
  }
}

/** Statuses of a service that lacks the operation. */
const NO_SUCH_OPERATION = [404, 405, 501];

/**
 * Sends a request that not every service supports. `about` lists the error codes with which a supporting service
 * reports that the resource itself does not exist.
 * @throws CliError `not_offered`
 */
export async function whereOffered<T>(
  { what, about }: { what: string; about: readonly string[] },
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ServiceError) && !(error instanceof UnreadableAnswerError)) throw error;
    if (!NO_SUCH_OPERATION.includes(error.status) || about.includes(error.code)) throw error;
    throw new CliError('not_offered', `This service cannot ${what}.`, {
      hint: 'A skinsmith service can. Choose another service with --base-url.',
      cause: error,
    });
  }
}
