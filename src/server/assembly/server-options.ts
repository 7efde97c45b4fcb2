import type { Clock } from '../../base/clock.ts';
import type { GameAddresses } from '../../game/addresses.ts';
import type { GameOptions } from '../../game/game.ts';
import type { AccountRules } from '../accounts/rules.ts';
import type { GeneratorKind } from '../generators/port.ts';
import type { UpstreamSettings } from '../generators/upstream/settings.ts';
import type { LogAddresses, LogLevel, LogStream } from '../http/fastify/log.ts';
import type { EdgeLimits } from '../http/fastify/network-limits.ts';

export interface ServerOptions {
  /** Folder of the store and the signing key; made when missing. */
  readonly dataDir: string;
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  /** Jobs generated at the same time; 0: accept and answer, generate nothing. */
  readonly workers?: number;
  /** Address that goes into signed texture URLs; default: where the server listens. */
  readonly publicUrl?: string;
  /** Who makes the skin data; default: `signing`, our own key. */
  readonly generator?: GeneratorKind;
  /** For the generator `upstream`. */
  readonly upstream?: UpstreamSettings;
  /** How linked game accounts are used. */
  readonly accountRules?: Partial<AccountRules>;
  /** Id of the operator's application at Microsoft, to link game accounts with. */
  readonly loginClientId?: string | undefined;
  /** False: only operators may link game accounts. */
  readonly userAccounts?: boolean;
  readonly logLevel?: LogLevel;
  /** How much of callers' addresses is logged; default: `short`. */
  readonly logAddresses?: LogAddresses;
  /** Default: stderr, because stdout is data. */
  readonly logStream?: LogStream;
  /** Whether /metrics needs no operator's key. */
  readonly openMetrics?: boolean;
  /** Whose X-Forwarded-For is believed: addresses, networks and `loopback`, with commas between; default: nobody's. */
  readonly trustProxy?: string;
  readonly edge?: Partial<EdgeLimits>;
  readonly retentionHours?: number;
  /** Whether what was accepted survives a power cut: each commit waits for the disk. */
  readonly durable?: boolean;
  /** Goes on with a signing key that is not the one the store's skins were signed with. */
  readonly newSigningKey?: boolean;
  /** JSON file of plans (service/plans/plans-file.ts); default: plans.json in the data folder, if it is there. */
  readonly plansFile?: string;
  /** Least milliseconds a generation takes: to rehearse against a slow service. */
  readonly pace?: number;
  /** Networks (CIDR) or addresses that may be reached though they are private: by webhooks, for pictures. */
  readonly allowedNetworks?: readonly string[];
  /** Where the game's services are, where it is not their usual place. */
  readonly gameAddresses?: Partial<GameAddresses>;
  /** How fast they are asked, and how long one request may take. */
  readonly game?: Pick<GameOptions, 'rules' | 'timeout'>;
  /** New skins that all callers without a key may have generated in any hour, together. */
  readonly anonymousPerHour?: number;
  /** Origins of web pages that may have skins generated without a key; `*`: any. Always: the service's own. */
  readonly allowedOrigins?: readonly string[];
  /** Bytes from which on the store takes nothing new; the embedded service has no such limit. */
  readonly maxStoreBytes?: number;
  /** False: every caller needs an API key. */
  readonly anonymous?: boolean;
  /** False: callbacks are refused and nothing is sent. */
  readonly webhooks?: boolean;
  /** Makes a key that lives as long as the process, for the command that embeds the service. */
  readonly embedded?: boolean;
  readonly clock?: Clock;
}
