import type { HostedOptions } from '../../src/double/hosted/options.ts';
import type { HostedInMemory } from '../support/hosted/hosted-in-memory.ts';
import type { VirtualClock } from '../support/scripted/virtual-clock.ts';

/** How many skins were made, and how many cannot be. */
export interface Outcome {
  readonly made: number;
  readonly failed: number;
}

/** Whoever has skins made through the dispatcher's parts, and the service that makes them, on one clock. */
export interface MakerWorld {
  readonly clock: VirtualClock;
  readonly hosted: HostedInMemory;
  /** Has the skins of these numbers made; to be run by the clock. */
  make(numbers: readonly number[]): Promise<Outcome>;
}

export type OpenWorld = (options?: HostedOptions) => Promise<MakerWorld>;
