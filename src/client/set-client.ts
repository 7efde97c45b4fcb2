import type { z } from 'zod';
import { receivedEnvelopeSchema } from '../protocol/envelope.ts';
import {
  type ModeratedSet,
  moderatedSetAnswerSchema,
  type ReportDecision,
  type ReportInput,
  type SetDecision,
} from '../protocol/moderation.ts';
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
import { at, nextIn, queryOf } from './pages.ts';
import type { Requester } from './requester.ts';
import type { CallOptions, Listed, PageQuery, SkinExportFormat } from './types.ts';

type Page = Pick<PageQuery, 'after' | 'size'>;

const DOWNLOADS = {
  zip: { file: 'skins.zip', type: 'application/zip' },
  lock: { file: 'skins.lock', type: 'application/x-ndjson' },
  pack: { file: 'pack.zip', type: 'application/zip' },
  datapack: { file: 'datapack.zip', type: 'application/zip' },
} as const satisfies Record<SetFileFormat, { file: string; type: string }>;

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
    { isPublic = false, ...page }: Page & { readonly isPublic?: boolean } = {},
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
