import type { Clock } from '../base/clock.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { SkinOptions } from '../client/types.ts';
import type { KnownService } from '../dispatch/dispatcher.ts';
import type { Job } from '../protocol/job.ts';
import type { SkinVisibility } from '../protocol/skin.ts';
import type {
  BatchResult,
  BatchSource,
  Coverage,
  SourceContent,
  SuppliedSkin,
  VariantInput,
} from './model.ts';
import type { GameKeys, OutdatedSkins, PublicSigningKey } from './signers.ts';
import type { BedrockPlayers, PlayerNames } from './sources/player-names.ts';

/** The service that makes the skins, and the caller. */
export interface BatchService {
  /** Its name in journal and lockfile: its address, or `embedded`. */
  readonly name: string;
  /** Distinguishes callers of one service; not the key itself. */
  readonly caller: string;
  /** Called once, before the first request. */
  readonly connect: () => Promise<SkinClient>;
  /** What is known about an embedded service, so that it need not be asked; absent: nothing. */
  readonly known?: KnownService | undefined;
  /** The service's own signing key; undefined if it publishes none or does not answer. Absent: the same. */
  readonly signingKey?: (() => Promise<PublicSigningKey | undefined>) | undefined;
  /** The service's skin with this UUID; undefined if there is none. Absent: every UUID counts as a player's. */
  readonly findSkin?: ((uuid: string) => Promise<SuppliedSkin | undefined>) | undefined;
}

/** What a batch asks the game's own services. */
export interface KnownToGame {
  readonly players: PlayerNames;
  readonly bedrock: BedrockPlayers;
  readonly keys: GameKeys;
}

interface BatchSkinOptions {
  /** For every source without a variant of its own. Default: `auto`. */
  readonly variant?: VariantInput | undefined;
  /** Default: the service's, public. */
  readonly visibility?: SkinVisibility | undefined;
  /** UUID of a cape to combine with every skin. Default: none. */
  readonly cape?: string | undefined;
}

/** Whether the results of earlier runs count. */
interface ReuseOptions {
  /** Make every skin again, even if the lockfile has it. */
  readonly force?: boolean | undefined;
  /** Keep the lockfile's skins, from any signer. */
  readonly keepSignatures?: boolean | undefined;
  /** Absent: signatures of the game are not recognized. */
  readonly game?: (Pick<KnownToGame, 'keys'> & Partial<KnownToGame>) | undefined;
  /** This machine's own signing key, to recognize its signatures. Absent: trust what entries say about their signer. */
  readonly ownKey?: PublicSigningKey | undefined;
}

/** How files that batches wrote are recognized: what a lockfile says about paths and their content is no proof. */
export interface OwnOutputs {
  /** The folder that the user named for outputs, if it may be outside the lockfile's; absolute path. */
  readonly folder?: string | undefined;
  /** Whether a file of at most 1 MB has the form of an output. */
  readonly hasForm: (path: string) => boolean;
}

/** What to plan, and with what. */
export interface PlanOptions extends BatchSkinOptions, ReuseOptions {
  readonly sources: AsyncIterable<BatchSource>;
  /** What the sources are read from, complete once they are read. Absent: unknown, so that no entry counts as gone. */
  readonly coverage?: Coverage | undefined;
  /** Absent: output files of sources that are gone or renamed stay as they are. */
  readonly outputs?: OwnOutputs | undefined;
  readonly service: Pick<BatchService, 'name' | 'caller' | 'signingKey' | 'findSkin'>;
  /** Folder for journals and caches. */
  readonly stateDir: string;
  /** The lockfile to keep; absolute path. Absent: none. */
  readonly lockfile?: string | undefined;
  /** Identifies a batch without a lockfile, so that it can resume after a crash. */
  readonly purpose?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Time and chance, for tests. */
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** How much of the service a batch uses, and how long it waits for it. */
interface EffortOptions {
  /** Maximum slots of the queue to use; the caller's own limit applies as well. */
  readonly slots?: number | undefined;
  /** Maximum milliseconds between requests for the job list. Default 5,000. */
  readonly pollInterval?: number | undefined;
  /** How often a job that failed for a passing reason is submitted again. Default 2. */
  readonly retries?: number | undefined;
  /**
   * Submit again what was submitted and cannot be found at the service any more, although it may still be made and paid for
   * twice. Default false: it fails, and the next run asks for it again.
   */
  readonly resubmitLost?: boolean | undefined;
  /** Maximum number of new generations. Default: no limit. */
  readonly maxNew?: number | undefined;
  /**
   * Milliseconds to wait for a service that has never answered (`firstContact`, default 8,000) and for one that has
   * stopped answering or cannot store anything (`outage`, default 15 minutes, 1 minute for an embedded one).
   */
  readonly patience?: { readonly firstContact?: number; readonly outage?: number } | undefined;
}

/** What makes a result good, and where it goes. */
interface ResultOptions {
  /** Follow the jobs to their ends; else a source is finished when its job is accepted. Default true. */
  readonly follow?: boolean | undefined;
  /** Fetch and check the texture of each result. Default true. */
  readonly verify?: boolean | undefined;
  /** Accept results that are wrong or cannot be proved. Default false: they fail, and the journal keeps them. */
  readonly acceptUnverified?: boolean | undefined;
  /**
   * Stores a result before it counts as finished. An error ends the batch, unless it is a `DeliveryError`. May return the
   * files that hold it, for the lockfile to record: paths from its folder, with `/` between segments.
   */
  readonly deliver?:
    | ((result: BatchResult) => void | Promise<void>)
    | ((result: BatchResult) => readonly string[] | Promise<readonly string[]>)
    | undefined;
  /**
   * Stores what all results make together, before the journal is removed: if that fails, the next run goes on with it. `isWhole`:
   * the run was not interrupted.
   */
  readonly deliverAll?: ((run: { readonly isWhole: boolean }) => void) | undefined;
  /** Called when the batch begins, with a function that returns the current progress. */
  readonly onProgress?: ((progress: () => RunningProgress) => void) | undefined;
  readonly onEvent?: ((event: BatchEvent) => void) | undefined;
}

export interface BatchOptions extends PlanOptions, EffortOptions, ResultOptions {
  readonly service: BatchService;
  /** Absent: player names are sent unresolved, which only our own service accepts, and signatures of the game are unproved. */
  readonly game?: KnownToGame | undefined;
  /**
   * Drop lockfile entries whose source is gone, as far as `coverage` tells, and remove their output files (see `outputs`). `all`: even if no
   * entry would be left, in the lockfile or of a folder.
   */
  readonly prune?: boolean | 'all' | undefined;
}

/** A result could not be stored; only its source fails. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly code: string;
  readonly hint: string | undefined;

  constructor(
    code: string,
    message: string,
    { hint, ...options }: ErrorOptions & { readonly hint?: string | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.hint = hint;
  }
}

/** The progress of a batch. */
export interface Progress {
  /** Sources read so far. */
  readonly sources: number;
  /** Whether all sources have been read. */
  readonly allRead: boolean;
  /** Sources whose skin was already known. */
  readonly known: number;
  /** Sources that share another source's result. */
  readonly repeated: number;
  /** Sources whose skin has to be made. */
  readonly wanted: number;
  /** Sources whose skin was made. */
  readonly made: number;
  /** Sources whose skin an interrupted earlier run of this batch made. */
  readonly resumed: number;
  /** Sources that were submitted, but whose skin the service already had: nothing was generated. */
  readonly existing: number;
  /** Sources whose skin is in the lockfile: nothing was sent. */
  readonly unchanged: number;
  /** Sources that are valid skin data themselves. */
  readonly given: number;
  /** Sources without a skin because of an error; includes refused ones. */
  readonly failed: number;
  /** Number of made skins whose signature no known key verifies. */
  readonly unproved: number;
  /** Jobs of this batch on the service now. */
  readonly queued: number;
  /** Submissions that the service accepted, including repeated ones. */
  readonly submitted: number;
  /** Sources with a result. */
  readonly finished: number;
}

/** The progress of a batch that runs. */
export interface RunningProgress extends Progress {
  /** Minimum seconds for the rest, by the service's limits; 0: they allow all of it now. */
  readonly leastSeconds: number;
}

/** What a batch reports while it runs. */
export type BatchEvent =
  /**
   * All sources have been read. `seconds`: estimated duration of the new work by the caller's limits, if known;
   * `outdated`: skins to make again because of their signer, none submitted yet; `unknownSigner`: known skins whose
   * signer cannot be determined.
   */
  | {
      readonly type: 'planned';
      readonly progress: Progress;
      readonly seconds: number | undefined;
      readonly outdated: readonly OutdatedSkins[];
      readonly unknownSigner: number;
    }
  /** The service has a job for a source, possibly one that an earlier run submitted. */
  | {
      readonly type: 'accepted';
      readonly index: number;
      readonly source: string;
      /** Where the source's picture is. */
      readonly content: SourceContent;
      /** The options of the skin that were sent. */
      readonly options: SkinOptions;
      readonly job: Job;
    }
  /** A source is finished, successfully or not. */
  | { readonly type: 'result'; readonly result: BatchResult }
  /** The batch stopped or halted before the source was submitted. */
  | { readonly type: 'left'; readonly index: number; readonly source: string }
  /**
   * Nothing can be done for `ms` milliseconds, because of the service's limits or trouble with it. `queue`: other
   * jobs with the same key fill the queue, for an unknown time (`ms` is undefined); reported again while that lasts.
   */
  | {
      readonly type: 'waiting';
      readonly reason: 'limit' | 'trouble' | 'queue';
      readonly ms: number | undefined;
      readonly message: string;
    }
  /** Work is repeated: a job failed temporarily or was forgotten, or an answer was lost. `mayCost`: it may be paid for twice. */
  | { readonly type: 'again'; readonly source: string; readonly message: string; readonly mayCost: boolean }
  /** From here on, other processes of the same caller cannot be taken into account; gives the reason. */
  | { readonly type: 'alone'; readonly message: string };

/** A source in the lockfile that does not exist any more. */
export interface GoneSource {
  /** Its name in the lockfile, and in messages. */
  readonly id: string;
  readonly label: string;
  /** Its output files that are still as a batch wrote them; absolute paths. */
  readonly outputs: readonly string[];
  /** Nothing is left in its folder, which may be the wrong one. */
  readonly isDoubtful: boolean;
}

/** A source that has another name now, and the output files that have moved with it; absolute paths. */
export interface RenamedSource {
  /** Its names in messages. */
  readonly from: string;
  readonly to: string;
  readonly outputs: readonly { readonly from: string; readonly to: string }[];
}

/** What happened to the lockfile. */
export interface LockfileOutcome {
  readonly written: boolean;
  /** Size of the file. */
  readonly bytes: number;
  /** Entries that were dropped because their source is gone. */
  readonly dropped: number;
  /** Sources that are gone, in the order of the lockfile; their entries stay without `prune`, and with `isRefused`. */
  readonly gone: readonly GoneSource[];
  /** Sources that were renamed: their entries have moved. */
  readonly renamed: readonly RenamedSource[];
  /** A merge had left conflict markers in it: the lines of both sides were kept. */
  readonly isMerged: boolean;
  /** Nothing was dropped, because that would have emptied the lockfile or a folder. */
  readonly isRefused: boolean;
}

/** How a batch ended. */
export interface BatchSummary extends Progress {
  /** `stopped`: `maxNew` was reached; `halted`: see `halt`; `interrupted`: the signal was aborted. */
  readonly end: 'complete' | 'stopped' | 'halted' | 'interrupted';
  /** Why the rest was not submitted: the service would have refused it too, or no result could have been read. */
  readonly halt?: { readonly error: unknown } | undefined;
  /** Sources without a result. */
  readonly left: number;
  /** Milliseconds from the first submission to the last result. */
  readonly milliseconds: number;
  /** What happened to the lockfile; undefined without one. */
  readonly lockfile: LockfileOutcome | undefined;
}
