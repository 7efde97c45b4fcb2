import type { RequestReport, SkinClientOptions } from '../../index.ts';
import type { Waits } from '../terminal/waits.ts';

export interface RequestListeners {
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
  /** Notified of requests and pauses. */
  readonly waits?: Waits | undefined;
}

/** Stands for the embedded service where there must be an address. Nobody can have it (RFC 6761), so nothing goes there. */
export const EMBEDDED_URL = 'http://embedded.invalid';
const EMBEDDED_NAME = 'the embedded service';

/** The hooks of a client whose requests are shown: what they wait for, and each of them with --verbose. */
export function requestHooks({
  onRequest,
  waits,
}: RequestListeners): Pick<SkinClientOptions, 'onSend' | 'onRequest' | 'onEnd' | 'onRetry'> {
  return {
    onSend: ({ place, timeout }) => waits?.sent(place === EMBEDDED_URL ? EMBEDDED_NAME : place, timeout),
    onRequest,
    onEnd: () => waits?.answered(),
    onRetry: (report) => waits?.paused(report),
  };
}
