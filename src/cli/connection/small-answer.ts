import { FetchError, fetchBounded } from '../../base/bounded-fetch.ts';
import { networkReason } from '../../base/error-reasons.ts';
import { openSender } from '../../base/proxies.ts';
import { parsedJson } from '../../base/text.ts';
import { readProxies, verifyProxies } from '../config/network-settings.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';

/** Milliseconds. */
const TIMEOUT = 10_000;
/** Far more than any expected answer. */
const MAX_BYTES = 1024 * 1024;

interface SmallAnswer {
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/**
 * Sends one request to an address, without a key, through the proxy if one is set.
 * @throws CliError with this code if there is no answer
 */
export async function askOnce(
  url: URL,
  code: string,
  { env, signal }: Pick<CommandContext, 'env' | 'signal'>,
): Promise<SmallAnswer> {
  const proxies = readProxies(env);
  verifyProxies(proxies, url.href);
  const sender = await openSender(proxies);
  try {
    const { status, bytes } = await fetchBounded(sender, {
      ...{ url, method: 'GET', headers: () => ({ accept: 'application/json' }) },
      ...{ timeout: TIMEOUT, maxBytes: MAX_BYTES, reads: () => 'whole', signal },
    });
    return { status, json: parsedJson(bytes.toString('utf8')) };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const { cause, message } = error;
    const problem = error.code === 'broken' ? `cannot be reached: ${networkReason(cause)}` : message;
    throw new CliError(code, `${url.host} ${problem}.`, { exit: 'tryLater', cause: error });
  } finally {
    await sender.destroy();
  }
}
