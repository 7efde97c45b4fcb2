import { openSender, type Sender } from '../../base/proxies.ts';
import type { RememberedService } from '../../server/server.ts';
import { readProxies } from '../config/proxies.ts';
import type { CommandContext } from '../context/context.ts';

/** Milliseconds for a service on this machine to answer. */
const PATIENCE = 3_000;

interface Found {
  /** Address of the first service that has proved what it is. */
  readonly url: string | undefined;
  /** Where something else answers, or a service that cannot prove it. */
  readonly doubtful: readonly string[];
}

/** Looks where services were last reached, without sending any secret. */
export async function findService(
  services: readonly RememberedService[],
  { env, signal }: Pick<CommandContext, 'env' | 'signal'>,
): Promise<Found> {
  const doubtful: string[] = [];
  const sender = await openSender(readProxies(env));
  try {
    for (const service of services) {
      const proof = await askForProof(service, { sender, signal });
      if (proof === service.proof) return { url: service.url, doubtful };
      if (proof !== undefined) doubtful.push(service.url);
    }
    return { url: undefined, doubtful };
  } finally {
    await sender.destroy();
  }
}

/** Empty for an answer without a proof; undefined if there is no answer. */
async function askForProof(
  { url, question }: RememberedService,
  { sender, signal }: { readonly sender: Sender; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { origin, pathname, search } = new URL(`${url}${question}`);
  try {
    const { statusCode, headers, body } = await sender.request({
      ...{ origin, path: pathname + search, method: 'GET' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    body.on('error', () => {}).destroy(); // untrusted, of any length
    return (statusCode === 204 && String(headers['skinsmith-proof'] ?? '')) || '';
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
