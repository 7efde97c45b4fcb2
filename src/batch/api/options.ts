import type { Clock } from '../../base/clock.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { OwnKey } from '../model/own-key.ts';
import type { BatchResult } from '../model/result.ts';
import type { BatchSource, GivenSkin, VariantWish } from '../model/source.ts';
import type { GameKeys } from '../proof/game-keys.ts';
import type { PlayerNames } from '../sources/player-names.ts';
import type { BatchEvent, Progress } from './events.ts';

/** The service that makes the skins, and the caller. */
export interface BatchService {
  /** Its name in journal and lockfile: its address, or `embedded`. */
  readonly name: string;
  /** Distinguishes callers of one service; not the key itself. */
  readonly caller: string;
  /** Called once, before the first request. */
  readonly connect: () => Promise<SkinClient>;
  /** The key that it tells as its own; undefined: it tells none, or cannot be asked. Absent: likewise. */
  readonly signingKey?: (() => Promise<OwnKey | undefined>) | undefined;
  /** The skin of a UUID; undefined: it has none. Absent: it is not asked, and UUIDs are players'. */
  readonly findSkin?: ((uuid: string) => Promise<GivenSkin | undefined>) | undefined;
}

/** What the game itself is asked for. */
export interface KnownToGame {
  readonly players: PlayerNames;
  readonly keys: GameKeys;
}

/** What is to be planned. */
export interface PlanOptions {
  readonly sources: AsyncIterable<BatchSource>;
  readonly service: Pick<BatchService, 'name' | 'caller' | 'signingKey' | 'findSkin'>;
  /** Folder for the journal and what is remembered about files. */
  readonly stateDir: string;
  /** The lockfile to keep; absolute path. Absent: none. */
  readonly lockfile?: string | undefined;
  /** Tells batches without a lockfile apart, so that the same one can go on after a crash. */
  readonly purpose?: string | undefined;
  /** For every source that says nothing else. Default: `auto`. */
  readonly variant?: VariantWish | undefined;
  /** Default: the service's, public. */
  readonly visibility?: SkinVisibility | undefined;
  /** UUID of a cape, which goes with every skin. Default: none. */
  readonly cape?: string | undefined;
  /** Make again what the lockfile holds. */
  readonly force?: boolean | undefined;
  /** Keep what the lockfile holds, whoever signed it. */
  readonly keepSignatures?: boolean | undefined;
  /** Absent: the game's signatures are not recognised. */
  readonly game?: Pick<KnownToGame, 'keys'> | undefined;
  /** This machine's own key, by which its signatures are recognised. Absent: they are taken for what entries say. */
  readonly ownKey?: OwnKey | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Time and chance, for tests. */
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

export interface BatchOptions extends PlanOptions {
  readonly service: BatchService;
  /** Absent: names of players are sent as they are, which no service but ours takes, and the game's signature is unproved. */
  readonly game?: KnownToGame | undefined;
  /** Spots in the queue to use at most; the caller's limit always holds. */
  readonly slots?: number | undefined;
  /** Milliseconds between looks at the job list, at most. Default 5,000. */
  readonly pollInterval?: number | undefined;
  /** How often a job that failed in passing is submitted again. Default 2. */
  readonly retries?: number | undefined;
  /** New generations that may be spent. */
  readonly maxNew?: number | undefined;
  /** Drop from the lockfile what has no source any more. */
  readonly prune?: boolean | undefined;
  /** Follow the jobs to their ends; else a source is finished when its job is accepted. Default true. */
  readonly follow?: boolean | undefined;
  /** Look at the texture of each result. Default true. */
  readonly verify?: boolean | undefined;
  /** Take results that are not what was asked for, or not provably so. Default false: they fail and are kept. */
  readonly acceptUnproven?: boolean | undefined;
  /** Milliseconds to put up with a service that never answered, and with one that has stopped to. */
  readonly patience?: { readonly firstContact?: number; readonly outage?: number } | undefined;
  /** Writes a result down, before it counts as finished. What it throws ends the batch, unless it is a `DeliveryError`. */
  readonly deliver?: ((result: BatchResult) => void | Promise<void>) | undefined;
  /** Given, when the batch begins, a function that says where it stands. */
  readonly onProgress?: ((progress: () => Progress) => void) | undefined;
  readonly onEvent?: ((event: BatchEvent) => void) | undefined;
}

/** A result could not be written down; only this source is affected. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
