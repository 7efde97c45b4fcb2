import type { Transport } from '../../index.ts';
import { type Answer, ProbeError, type ProbeOptions } from './probe.ts';

/** Sends one GET for JSON to the embedded service. @throws ProbeError; the signal's reason when aborted */
export async function probeEmbedded(
  address: string,
  transport: Transport,
  { clock, signal, userAgent, limit }: ProbeOptions,
): Promise<Answer> {
  const url = new URL(address);
  const late = AbortSignal.timeout(limit);
  const askedAt = clock.now();
  const start = clock.monotonic();
  try {
    const { status, body } = await transport.send({
      method: 'GET',
      origin: url.origin,
      path: url.pathname,
      headers: { accept: 'application/json', 'user-agent': userAgent },
      signal: AbortSignal.any([signal, late]),
    });
    const text = 'json' in body ? JSON.stringify(body.json) : '';
    const times = new Map([['answer', clock.monotonic() - start]] as const);
    return {
      url,
      status,
      date: undefined,
      location: undefined,
      text,
      askedAt,
      answeredAt: clock.now(),
      times,
    };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    const code = late.aborted ? 'not in time' : String((cause as NodeJS.ErrnoException).code);
    throw new ProbeError(url, { stage: 'answer', code, cause });
  }
}
