import {
  type BlockedImage,
  type BlockInput,
  blockedImageAnswerSchema,
  blockedImageListAnswerSchema,
  type LogEntry,
  logAnswerSchema,
  type ModeratedSkin,
  moderatedSkinAnswerSchema,
  type Report,
  type ReportDecision,
  reportAnswerSchema,
  reportListAnswerSchema,
} from '../protocol/moderation.ts';
import { at, nextIn, queryOf } from './pages.ts';
import type { Requester } from './requester.ts';
import type { CallOptions, Listed, PageQuery } from './types.ts';

/** Milliseconds: an image may have very many skins to hide. */
const LONG = 300_000;

type PagePosition = Pick<PageQuery, 'after' | 'size'>;

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
