/** Milliseconds for a service on this machine to answer. */
const PATIENCE = 3_000;

/** Whether a skinsmith service with pages answers at the address. */
export async function isServedAt(url: string, signal: AbortSignal): Promise<boolean> {
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
