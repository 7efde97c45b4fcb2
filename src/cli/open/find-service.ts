/** Milliseconds for a service on this machine to answer. */
const PATIENCE = 3_000;

/** The first of these addresses at which a skinsmith service with pages answers. */
export async function findServed(urls: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  for (const url of urls) if (await isServedAt(url, signal)) return url;
  return undefined;
}

async function isServedAt(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/ui/sign-in`, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    return answer.status === 200 && answer.headers.has('mineskin-server');
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
