import { MOST_SKEW } from '../../store/database-clock.ts';
import type { OpenStore } from '../../store/open-store.ts';
import type { HealthWarning } from './health.ts';

/** Milliseconds for which work has to wait for connections before that is worth a warning. */
const LONG = 5_000;

/** What is known of a shared store without asking it. `skew`: milliseconds that the machine's clock is ahead of its. */
export function storeWarnings(
  { connections, notifier }: Pick<OpenStore, 'connections' | 'notifier'>,
  skew: number,
): HealthWarning[] {
  const { waitingFor, isListening } = connections?.() ?? { waitingFor: 0, isListening: true };
  const isDeaf = notifier !== undefined && !isListening; // behind a pooler there is nothing to listen to
  return [
    ...(Math.abs(skew) >= MOST_SKEW ? (['store_clock'] as const) : []),
    ...(waitingFor >= LONG ? (['store_pool'] as const) : []),
    ...(isDeaf ? (['store_listener'] as const) : []),
  ];
}
