import type { z } from 'zod';
import { type Identity, identityListAnswerSchema } from '../protocol/account.ts';
import {
  type ApiKey,
  type ApiKeyChange,
  type ApiKeyInput,
  type ApiKeyMade,
  apiKeyAnswerSchema,
  apiKeyListAnswerSchema,
  apiKeyMadeAnswerSchema,
} from '../protocol/api-key.ts';
import {
  type Cape,
  type CapeChange,
  type CapeInput,
  receivedCapeAnswerSchema,
  receivedCapeListAnswerSchema,
} from '../protocol/cape.ts';
import { receivedEnvelopeSchema } from '../protocol/envelope.ts';
import {
  type BlockedImage,
  type BlockInput,
  blockedImageAnswerSchema,
  blockedImageListAnswerSchema,
  type LogEntry,
  logAnswerSchema,
  type ModeratedSet,
  type ModeratedSkin,
  moderatedSetAnswerSchema,
  moderatedSkinAnswerSchema,
  type Report,
  type ReportDecision,
  type ReportInput,
  reportAnswerSchema,
  reportListAnswerSchema,
  type SetDecision,
} from '../protocol/moderation.ts';
import { type Diagnosis, diagnosisAnswerSchema } from '../protocol/service.ts';
import {
  type ReservedSetName,
  receivedReservedNamesAnswerSchema,
  receivedSetAnswerSchema,
  receivedSetListAnswerSchema,
  type SetEdit,
  type SetInput,
  type SkinSet,
  type SkinSetSummary,
} from '../protocol/set.ts';
import {
  receivedSkinsDeletedAnswerSchema,
  receivedSkinsEditedAnswerSchema,
  type SimilarSkin,
  type SkinEdit,
  similarSkinsAnswerSchema,
} from '../protocol/skin.ts';
import {
  type Account,
  accountAnswerSchema,
  type Invitation,
  invitationAnswerSchema,
  type PlanView,
  planListAnswerSchema,
  type User,
  type UserChange,
  type UserInput,
  userAnswerSchema,
  userListAnswerSchema,
} from '../protocol/user.ts';
import { at, nextIn, queryOf } from './answers.ts';
import { GameAccountClient, PlayerClient } from './game-client.ts';
import type { Requester } from './requester.ts';
import type {
  BulkEdited,
  CallOptions,
  Listed,
  PageQuery,
  SkinDeletion,
  SkinExportFormat,
  SkinExportQuery,
  SkinsEdited,
} from './types.ts';

type PagePosition = Pick<PageQuery, 'after' | 'size'>;

const DOWNLOADS = {
  zip: { file: 'skins.zip', type: 'application/zip' },
  lock: { file: 'skins.lock', type: 'application/x-ndjson' },
  pack: { file: 'pack.zip', type: 'application/zip' },
  datapack: { file: 'datapack.zip', type: 'application/zip' },
} as const satisfies Record<SetFileFormat, { file: string; type: string }>;

/** A page of the users of a service, by name. */
export interface UserPage {
  readonly users: readonly User[];
  /** `after` for the next page; undefined on the last. */
  readonly next: string | undefined;
}

/** The account manager of a skinsmith service and its other additions, one method per endpoint. The hosted service has none. */
export class AccountClient {
  /** The game accounts that users link to the service. */
  readonly games: GameAccountClient;
  /** Operator only. */
  readonly moderation: ModerationClient;
  /** Sets of skins. */
  readonly sets: SetClient;
  /** Player names and what they wear. */
  readonly players: PlayerClient;
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.games = new GameAccountClient(requester);
    this.moderation = new ModerationClient(requester);
    this.sets = new SetClient(requester);
    this.players = new PlayerClient(requester);
    this.#requester = requester;
  }

  /** GET /v2/account/me: the caller's plan and its usage. */
  async me(call: CallOptions = {}): Promise<Account> {
    return await this.#requester.get('/v2/account/me', accountAnswerSchema, call);
  }

  /** GET /v2/account/plans: the available plans and what each allows. */
  async plans(call: CallOptions = {}): Promise<readonly PlanView[]> {
    return (await this.#requester.get('/v2/account/plans', planListAnswerSchema, call)).plans;
  }

  /** GET /v2/account/doctor (operator only): the health of the store and the generator. May take several seconds. */
  async diagnosis(call: CallOptions = {}): Promise<Diagnosis> {
    return await this.#requester.get('/v2/account/doctor', diagnosisAnswerSchema, call);
  }

  /** PATCH /v2/me/skins: the same change for up to 128 of the caller's skins. */
  async editSkins(skins: readonly string[], edit: SkinEdit, call: CallOptions = {}): Promise<SkinsEdited> {
    const body = { skins, ...edit };
    const schema = receivedSkinsEditedAnswerSchema;
    const { skins: edited, missing } = await this.#requester.send('PATCH /v2/me/skins', body, schema, call);
    return { skins: edited, done: edited.map(({ uuid }) => uuid), missing };
  }

  /** POST /v2/me/skins/delete: removes up to 128 of the caller's skins. */
  async deleteSkins(
    skins: readonly string[],
    { undress, ...call }: CallOptions & SkinDeletion = {},
  ): Promise<BulkEdited> {
    const schema = receivedSkinsDeletedAnswerSchema;
    const body = { skins, undress };
    const { deleted, missing } = await this.#requester.send('POST /v2/me/skins/delete', body, schema, call);
    return { done: deleted, missing };
  }

  /**
   * GET /v2/me/skins.zip or GET /v2/me/skins.lock: the caller's own skins as a file, which is requested when it is
   * first read. The service limits the number of skins (a skinsmith service: 5000, newest first); the comment of the
   * zip then ends with `after=` and the value for the next file; of the lock, the UUID in the last line is that value.
   * @throws the same errors as other calls, while it is read
   */
  exportSkins(
    format: SkinExportFormat,
    query: SkinExportQuery = {},
    call: CallOptions = {},
  ): AsyncIterable<Uint8Array> {
    return this.#requester.file(`/v2/me/skins.${format}?${queryOf(query)}`, DOWNLOADS[format].type, call);
  }

  /** GET /v2/skins/:uuid/similar: skins that look alike, public or your own, the most similar first. */
  async similarSkins(uuid: string, call: CallOptions = {}): Promise<readonly SimilarSkin[]> {
    return (await this.#requester.get(at`/v2/skins/${uuid}/similar`, similarSkinsAnswerSchema, call)).skins;
  }

  /** GET /v2/account/keys: the caller's API keys, or another user's for an operator. */
  async keys(user?: string, call: CallOptions = {}): Promise<readonly ApiKey[]> {
    return (await this.#requester.get(at`/v2/account/keys${queryOf({ user })}`, apiKeyListAnswerSchema, call))
      .keys;
  }

  /** POST /v2/account/keys: a new API key. `secret` is returned only here. */
  async createKey(input: ApiKeyInput = {}, call: CallOptions = {}): Promise<ApiKeyMade> {
    return (await this.#requester.send('POST /v2/account/keys', input, apiKeyMadeAnswerSchema, call)).key;
  }

  /** PATCH /v2/account/keys/:id: fields left out stay unchanged; a list replaces the previous one. */
  async changeKey(id: string, change: ApiKeyChange, call: CallOptions = {}): Promise<ApiKey> {
    const address = at`PATCH /v2/account/keys/${id}`;
    return (await this.#requester.send(address, change, apiKeyAnswerSchema, call)).key;
  }

  /** DELETE /v2/account/keys/:id: the key is refused from then on. */
  async revokeKey(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/account/keys/${id}`, call);
  }

  /** GET /v2/account/identities: who signs in as the caller by OpenID Connect, or as another user for an operator. */
  async identities(user?: string, call: CallOptions = {}): Promise<readonly Identity[]> {
    const path = at`/v2/account/identities${queryOf({ user })}`;
    return (await this.#requester.get(path, identityListAnswerSchema, call)).identities;
  }

  /** DELETE /v2/account/identities/:id. `mayBeLast`: even if it is the user's only way to sign in. */
  async unlinkIdentity(
    id: string,
    { user, mayBeLast = false }: { readonly user?: string; readonly mayBeLast?: boolean } = {},
    call: CallOptions = {},
  ): Promise<void> {
    const query = queryOf({ last: mayBeLast ? 'yes' : 'no', user });
    await this.#requester.delete(at`/v2/account/identities/${id}${query}`, call);
  }

  /** GET /v2/account/capes (operator only): all capes, including hidden ones. */
  async capes(call: CallOptions = {}): Promise<readonly Cape[]> {
    return (await this.#requester.get('/v2/account/capes', receivedCapeListAnswerSchema, call)).capes;
  }

  /** POST /v2/account/capes (operator only): adds a cape, a PNG of 64×32 pixels. */
  async addCape(png: Uint8Array, { alias, support }: CapeInput, call: CallOptions = {}): Promise<Cape> {
    const fields = { alias, ...(support !== undefined && { support }) };
    const content = { fields, file: { bytes: png, fileName: 'cape.png' } };
    const request = { method: 'POST', path: '/v2/account/capes', content } as const;
    return (await this.#requester.request(request, receivedCapeAnswerSchema, call)).cape;
  }

  /** PATCH /v2/account/capes/:uuid (operator only): changes the alias; hides the cape or shows it again. */
  async changeCape(uuid: string, change: CapeChange, call: CallOptions = {}): Promise<Cape> {
    const address = at`PATCH /v2/account/capes/${uuid}`;
    return (await this.#requester.send(address, change, receivedCapeAnswerSchema, call)).cape;
  }

  /** DELETE /v2/account/capes/:uuid (operator only): skins made with the cape keep it. */
  async deleteCape(uuid: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/account/capes/${uuid}`, call);
  }

  /** GET /v2/account/users (operator only): users by name; `filter`: part of the names. `size`: 1 to 128. */
  async users(
    { after, size, filter }: Pick<PageQuery, 'after' | 'size' | 'filter'> = {},
    call: CallOptions = {},
  ): Promise<UserPage> {
    const path = `/v2/account/users?${queryOf({ after, size, filter })}`;
    const { users, links } = await this.#requester.get(path, userListAnswerSchema, call);
    return { users, next: nextIn(links) };
  }

  /** GET /v2/account/users/:name (operator only). */
  async user(name: string, call: CallOptions = {}): Promise<User> {
    return (await this.#requester.get(at`/v2/account/users/${name}`, userAnswerSchema, call)).user;
  }

  /** POST /v2/account/users (operator only): creates a user, on the plan `free` by default. */
  async createUser(input: UserInput, call: CallOptions = {}): Promise<User> {
    return (await this.#requester.send('POST /v2/account/users', input, userAnswerSchema, call)).user;
  }

  /** PATCH /v2/account/users/:name (operator only): changes the plan; blocks or unblocks the user. */
  async setUser(name: string, change: UserChange, call: CallOptions = {}): Promise<User> {
    const address = at`PATCH /v2/account/users/${name}`;
    return (await this.#requester.send(address, change, userAnswerSchema, call)).user;
  }

  /** POST /v2/account/users/:name/invitation (operator only): a link that signs the user in once. */
  async inviteUser(name: string, call: CallOptions = {}): Promise<Invitation> {
    const request = { method: 'POST', path: at`/v2/account/users/${name}/invitation` } as const;
    return (await this.#requester.request(request, invitationAnswerSchema, call)).invitation;
  }

  /** DELETE /v2/account/users/:name/invitation (operator only). */
  async uninviteUser(name: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/account/users/${name}/invitation`, call);
  }
}

/** Milliseconds: an image may have very many skins to hide. */
const LONG = 300_000;

/** What the operators of a skinsmith service do about other users' skins. Each action is logged. */
export class ModerationClient {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /** GET /v2/account/reports: newest first. Default: the open ones. `size`: 1 to 128. */
  async reports(
    { state, ...page }: PagePosition & { readonly state?: 'open' | 'closed' } = {},
    call: CallOptions = {},
  ): Promise<Listed<Report>> {
    const path = `/v2/account/reports?${queryOf({ after: page.after, size: page.size, state })}`;
    const { reports, links } = await this.#requester.get(path, reportListAnswerSchema, call);
    return { entries: reports, next: nextIn(links) };
  }

  /** POST /v2/account/reports/:id/close: closes a report without changing what it is about. */
  async closeReport(id: string, decision: ReportDecision = {}, call: CallOptions = {}): Promise<Report> {
    const address = at`POST /v2/account/reports/${id}/close`;
    return (await this.#requester.send(address, decision, reportAnswerSchema, call)).report;
  }

  /** PATCH /v2/account/skins/:uuid: hides any user's skin, or shows it again. */
  async setHidden(
    uuid: string,
    decision: ReportDecision & { readonly hidden: boolean },
    call: CallOptions = {},
  ): Promise<ModeratedSkin> {
    const address = at`PATCH /v2/account/skins/${uuid}`;
    return (await this.#requester.send(address, decision, moderatedSkinAnswerSchema, call)).skin;
  }

  /** DELETE /v2/account/skins/:uuid: deletes any user's skin. */
  async deleteSkin(uuid: string, { note = '' }: ReportDecision = {}, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/account/skins/${uuid}${queryOf({ note })}`, call);
  }

  /** GET /v2/account/blocked-images: by hash. */
  async blockedImages(page: PagePosition = {}, call: CallOptions = {}): Promise<Listed<BlockedImage>> {
    const path = `/v2/account/blocked-images?${queryOf({ after: page.after, size: page.size })}`;
    const { images, links } = await this.#requester.get(path, blockedImageListAnswerSchema, call);
    return { entries: images, next: nextIn(links) };
  }

  /**
   * POST /v2/account/blocked-images: refuses an image from now on and hides all skins that have it. `hidden`: how many
   * those were.
   */
  async blockImage(
    input: BlockInput,
    call: CallOptions = {},
  ): Promise<{ readonly image: BlockedImage; readonly hidden: number }> {
    const content = { json: input };
    const request = { method: 'POST', path: '/v2/account/blocked-images', timeout: LONG, content } as const;
    const { image, hidden } = await this.#requester.request(request, blockedImageAnswerSchema, call);
    return { image, hidden };
  }

  /** DELETE /v2/account/blocked-images/:hash: accepts the image again; hidden skins stay hidden. */
  async unblockImage(
    hash: string,
    { note = '' }: ReportDecision = {},
    call: CallOptions = {},
  ): Promise<void> {
    await this.#requester.delete(at`/v2/account/blocked-images/${hash}${queryOf({ note })}`, call);
  }

  /** GET /v2/account/log: what operators did, newest first. */
  async log(page: PagePosition = {}, call: CallOptions = {}): Promise<Listed<LogEntry>> {
    const path = `/v2/account/log?${queryOf({ after: page.after, size: page.size })}`;
    const { entries, links } = await this.#requester.get(path, logAnswerSchema, call);
    return { entries, next: nextIn(links) };
  }
}

/** A file of a set: its pictures with skins.lock, skins.lock alone, its resource pack, or the data pack for that. */
export type SetFileFormat = SkinExportFormat | 'pack' | 'datapack';

/** Sets of skins on a skinsmith service. A set is named by its UUID; public ones and the caller's own by name too. */
export class SetClient {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /** GET /v2/me/sets, or GET /v2/sets for the public sets of all users: newest first. `size`: 1 to 128. */
  async list(
    { isPublic = false, ...page }: PagePosition & { readonly isPublic?: boolean } = {},
    call: CallOptions = {},
  ): Promise<Listed<SkinSetSummary>> {
    const path = `/v2/${isPublic ? 'sets' : 'me/sets'}?${queryOf({ after: page.after, size: page.size })}`;
    const { sets, links } = await this.#requester.get(path, receivedSetListAnswerSchema, call);
    return { entries: sets, next: nextIn(links) };
  }

  /** GET /v2/sets/:set: with the skins that the caller may see. */
  async get(set: string, call: CallOptions = {}): Promise<SkinSet> {
    return skinSet(await this.#requester.get(at`/v2/sets/${set}`, receivedSetAnswerSchema, call));
  }

  /** POST /v2/sets: makes a set. */
  async create(input: SetInput, call: CallOptions = {}): Promise<SkinSet> {
    return skinSet(await this.#requester.send('POST /v2/sets', input, receivedSetAnswerSchema, call));
  }

  /** PATCH /v2/sets/:set: changes a set of the caller. */
  async edit(set: string, edit: SetEdit, call: CallOptions = {}): Promise<SkinSet> {
    const address = at`PATCH /v2/sets/${set}`;
    return skinSet(await this.#requester.send(address, edit, receivedSetAnswerSchema, call));
  }

  /** DELETE /v2/sets/:set: deletes a set of the caller; its skins stay. */
  async delete(set: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/sets/${set}`, call);
  }

  /** GET /v2/me/set-names: names of the caller's sets that were public, which nobody else can have. */
  async reservedNames(call: CallOptions = {}): Promise<readonly ReservedSetName[]> {
    const schema = receivedReservedNamesAnswerSchema;
    return (await this.#requester.get('/v2/me/set-names', schema, call)).names;
  }

  /** DELETE /v2/set-names/:name: lets everyone have a reserved name. Operators release those of others, too. */
  async releaseName(name: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/set-names/${name}`, call);
  }

  /**
   * A file with the skins of a set that the caller may see, requested when it is read. `namespace` and `game` (as
   * `1.21.9..26.1`): of packs.
   */
  file(
    set: string,
    format: SetFileFormat,
    options: { readonly namespace?: string; readonly game?: string } = {},
    call: CallOptions = {},
  ): AsyncIterable<Uint8Array> {
    const { file, type } = DOWNLOADS[format];
    return this.#requester.file(at`/v2/sets/${set}/${file}${queryOf(options)}`, type, call);
  }

  /** POST /v2/sets/:set/report: reports a set to the operators. */
  async report(set: string, report: ReportInput, call: CallOptions = {}): Promise<void> {
    await this.#requester.send(at`POST /v2/sets/${set}/report`, report, receivedEnvelopeSchema, call);
  }

  /** PATCH /v2/account/sets/:uuid (operator only): hides any user's set, shows it again, or clears its name. */
  async decide(uuid: string, decision: SetDecision, call: CallOptions = {}): Promise<ModeratedSet> {
    const address = at`PATCH /v2/account/sets/${uuid}`;
    return (await this.#requester.send(address, decision, moderatedSetAnswerSchema, call)).set;
  }

  /** DELETE /v2/account/sets/:uuid (operator only): deletes any user's set. */
  async deleteAny(uuid: string, { note = '' }: ReportDecision = {}, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/account/sets/${uuid}${queryOf({ note })}`, call);
  }
}

function skinSet({ set, skins }: z.output<typeof receivedSetAnswerSchema>): SkinSet {
  return { ...set, skins };
}
