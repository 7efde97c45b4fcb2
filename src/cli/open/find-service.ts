import type { RememberedService } from '../../server/server.ts';

/** Milliseconds for a service on this machine to answer. */
const PATIENCE = 3_000;

interface Found {
  /** Of the first service that has proved what it is. */
  readonly url: string | undefined;
  /** Where something else answers, or a service that cannot prove it. */
  readonly doubtful: readonly string[];
}

/** Looks where services were last reached. None of them is told a secret. */
export async function findService(
  services: readonly RememberedService[],
  signal: AbortSignal,
): Promise<Found> {
  const doubtful: string[] = [];
  for (const service of services) {
    const proof = await askForProof(service, signal);
    if (proof === service.proof) return { url: service.url, doubtful };
    if (proof !== undefined) doubtful.push(service.url);
  }
  return { url: undefined, doubtful };
}

/** Empty for an answer without a proof; undefined if there is no answer. */
async function askForProof(
  { url, question }: RememberedService,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}${question}`, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    await answer.body?.cancel(); // of any length, from anybody
    return (answer.status === 204 && answer.headers.get('skinsmith-proof')) || '';
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
