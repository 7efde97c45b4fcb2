import { type AccountClient, ServiceError, UnreadableAnswerError } from '../../index.ts';
import { CliError } from '../errors/exit.ts';
import { connectWithProgress } from './connect-with-progress.ts';
import type { Connector } from './connector.ts';

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
    throw new CliError('no_account_api', `${client.baseUrl} does not manage keys and users this way.`, {
      hint:
        'Only a skinsmith service does. Keys of the hosted service are managed on its own account site; ' +
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
