import { Gauge, type Registry } from 'prom-client';
import { AWAKE, systemClock } from '../../base/clock.ts';
import type { StoreConnections } from '../store/open-store.ts';
import { isUnreachable } from '../store/unreachable.ts';

/** What is known of a store that several nodes share, and of this process's connections to it. */
export interface SharedStore {
  readonly connections: () => StoreConnections;
  /** The nodes that are alive. */
  readonly nodes: () => Promise<number>;
  /** Milliseconds that this machine's clock is ahead of the database's. */
  readonly skew: () => number;
}

/** Gauges of a store in PostgreSQL. */
export function addStoreGauges(registry: Registry, { connections, nodes, skew }: SharedStore): void {
  addConnections(registry, connections);
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        this.set(value());
      },
    });
  gauge(
    'skinsmith_store_connections_limit',
    'The most connections to the store that there may be.',
    () => connections().most,
  );
  gauge(
    'skinsmith_store_waiting',
    'Work that waits for a connection to the store.',
    () => connections().waiting,
  );
  gauge('skinsmith_store_listening', 'Whether news of other nodes arrive at once: 1 or 0.', () =>
    Number(connections().isListening),
  );
  addNodes(registry, nodes);
  addSkew(registry, skew);
}

function addConnections(registry: Registry, connections: SharedStore['connections']): void {
  new Gauge({
    name: 'skinsmith_store_connections',
    help: 'Connections to the store, besides the one that listens.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { busy, idle } = connections();
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, idle);
    },
  });
}

function addNodes(registry: Registry, nodes: SharedStore['nodes']): void {
  new Gauge({
    name: 'skinsmith_nodes',
    help: 'Processes of all machines that share the store and are alive.',
    registers: [registry],
    async collect() {
      this.remove();
      await ifReachable(async () => this.set(await nodes()));
    },
  });
}

/** Processes of one machine have one clock. */
function addSkew(registry: Registry, skew: SharedStore['skew']): void {
  new Gauge({
    name: 'skinsmith_store_clock_skew_seconds',
    help: "Seconds that this machine's clock is ahead of the database's.",
    registers: [registry],
    collect() {
      this.set(skew() / 1000);
    },
  });
}

/** Milliseconds after which a store that does not answer is taken to be out of reach. */
const LIMIT = 5_000;

/** What is in the store is left out while the store cannot be reached, so that the rest can be read just then. */
export async function ifReachable(collect: () => Promise<void>): Promise<void> {
  const timer = new AbortController();
  try {
    await Promise.race([collect(), systemClock.sleep(LIMIT, timer.signal)]);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  } finally {
    timer.abort(AWAKE);
  }
}
