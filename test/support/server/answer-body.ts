import type { ClientInfo } from '../../../src/protocol/account.ts';
import type { ApiKey } from '../../../src/protocol/api-key.ts';
import type { WireCape } from '../../../src/protocol/cape.ts';
import type { Note, RateLimit } from '../../../src/protocol/envelope.ts';
import type { BatchItem } from '../../../src/protocol/generate.ts';
import type { WireJob } from '../../../src/protocol/job.ts';
import type { BlockedImage, LogEntry, Report } from '../../../src/protocol/moderation.ts';
import type { OwnPlayerName, Player } from '../../../src/protocol/player.ts';
import type { ReservedSetName, SkinSetSummary } from '../../../src/protocol/set.ts';
import type { Skin, WireSkinListItem } from '../../../src/protocol/skin.ts';
import type { PlanView, User } from '../../../src/protocol/user.ts';

/** Any answer's body: every field that one may have. */
export interface Body {
  readonly success?: boolean;
  /** Only if it is a refusal or reports a failed job. */
  readonly errors: Note[];
  readonly warnings: Note[];
  readonly messages: Note[];
  readonly links: Record<string, string>;
  readonly job?: WireJob;
  readonly jobs?: WireJob[];
  readonly skin?: Skin;
  readonly skins?: WireSkinListItem[];
  readonly set?: SkinSetSummary;
  readonly sets?: SkinSetSummary[];
  readonly names?: ReservedSetName[];
  readonly player?: Player;
  readonly players?: OwnPlayerName[];
  readonly tags?: { tag: string; vote: string | null; suggested: boolean }[];
  readonly missing?: string[];
  readonly deleted?: string[];
  readonly total?: number;
  readonly rateLimit?: RateLimit;
  readonly openId?: { readonly findings: readonly unknown[] };
  readonly usage?: unknown;
  readonly user?: string;
  readonly name?: string;
  readonly grants?: Record<string, unknown>;
  readonly key?: ApiKey & { secret?: string };
  readonly keys?: ApiKey[];
  readonly users?: User[];
  readonly plans?: PlanView[];
  readonly signaturePublickey?: string;
  readonly skinDomains?: string[];
  readonly cape?: WireCape;
  readonly capes?: WireCape[];
  readonly batch?: BatchItem[];
  readonly client?: ClientInfo;
  readonly report?: Report;
  readonly reports?: Report[];
  readonly image?: BlockedImage;
  readonly images?: BlockedImage[];
  readonly hidden?: number;
  readonly entries?: LogEntry[];
}
