import type { GameAccountsTable } from './account-tables.ts';
import type {
  CallbacksTable,
  CallersTable,
  IdempotencyKeysTable,
  JobsTable,
  UpstreamJobsTable,
} from './job-tables.ts';
import type { BlockedImagesTable, OperatorLogTable, ReportsTable } from './moderation-tables.ts';
import type { ChoresTable, NodesTable } from './node-tables.ts';
import type {
  CapesTable,
  PlayersTable,
  SkinsTable,
  SkinViewsTable,
  TextureDataTable,
  TexturesTable,
} from './skin-tables.ts';
import type {
  ApiKeysTable,
  FirstSignInsTable,
  IdentitiesTable,
  SessionsTable,
  SignInLinksTable,
  UsersTable,
} from './user-tables.ts';

/** All times are milliseconds since the epoch. `owner` is a caller's key, see service/callers/caller.ts. */
export interface Tables {
  meta: { key: string; value: string };
  users: UsersTable;
  api_keys: ApiKeysTable;
  textures: TexturesTable;
  texture_data: TextureDataTable;
  skins: SkinsTable;
  jobs: JobsTable;
  idempotency_keys: IdempotencyKeysTable;
  callers: CallersTable;
  queue_clock: { id: number; turn: number };
  skin_words: { word: string; skin_id: number };
  skin_views: SkinViewsTable;
  capes: CapesTable;
  callbacks: CallbacksTable;
  upstream_jobs: UpstreamJobsTable;
  players: PlayersTable;
  game_accounts: GameAccountsTable;
  sessions: SessionsTable;
  sign_in_links: SignInLinksTable;
  nodes: NodesTable;
  chores: ChoresTable;
  reports: ReportsTable;
  blocked_images: BlockedImagesTable;
  operator_log: OperatorLogTable;
  identities: IdentitiesTable;
  first_sign_ins: FirstSignInsTable;
}
