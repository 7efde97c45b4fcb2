import { z } from 'zod';
import { count, counted, type Html, html, type Reader, say, separated } from '../html/html.ts';
import type { GameAccount } from '../protocol/game-account.ts';
import type { Report } from '../protocol/moderation.ts';
import type { ServiceContext } from '../server/context.ts';
import { readGameAccounts } from '../server/service/accounts/accounts.ts';
import type { Caller } from '../server/service/callers.ts';
import { countReportsToDecide, readReports } from '../server/service/moderation.ts';
import { Refusal } from '../server/service/refusal.ts';
import type { HourFigures, Overview } from '../server/service/status/stats.ts';
import { findFeedReader, makeFeedSecret } from '../server/service/users/operator-feeds.ts';
import { failureCount } from './account-games.ts';
import { copyField, moment, secretPage, skinCount } from './frame.ts';
import { operatorPage } from './operator-list.ts';
import { REASON_WORDS } from './operator-moderation.ts';
import { formFor, type PageRoute, pageFor } from './page-route.ts';
import { ATOM, type FeedEntry, feedOf } from './site.ts';

const HOME = '/ui/operator';
const PATH = '/ui/news.atom';
const REPORTS = '/ui/operator/reports';
const ACCOUNTS = '/ui/account/games?whose=all';
const secretSchema = z.object({ secret: z.string().regex(/^[\w-]{43}$/) });
/** Reports in the feed. */
const FED = 50;

export const FEED_PAGES: readonly PageRoute[] = [
  // Feed readers sign in nowhere: the secret in the address tells for whom they read.
  pageFor('everyone', PATH, { query: secretSchema, isTagged: true }, async ({ context, query, reader }) => {
    const operator = await findFeedReader(context, query.secret);
    if (!operator) throw new Refusal('not_found');
    const entries = await entriesFor(context, operator, reader);
    const body = feedOf(context, { path: HOME, title: say`Operator`, entries, reader });
    const headers = { 'Content-Type': ATOM, 'Cache-Control': 'private, no-cache' };
    return { status: 200, body, headers };
  }),
  formFor('operator', '/ui/operator/feed', {}, async ({ context, caller }) => {
    const address = `${context.publicUrl()}${PATH}?secret=${await makeFeedSecret(context, caller)}`;
    const lead = say`Give this address to your feed reader now. You will not see it again, and the one before no longer works.`;
    const view = { lead, secrets: copyField(FEED, address), back: HOME };
    return operatorPage('overview', secretPage(FEED, view));
  }),
];

const FEED = say`Feed address`;

/** Makes the address of the feed. */
export const FEED_FORM = html`<section aria-labelledby="feed"><h2 id="feed">${FEED}</h2>
<form class="panel" method="post" action="/ui/operator/feed"><p>${say`A feed reader tells you of open reports and resting game accounts, and has a line for each day.`}</p>
<button>${say`Make a new address`}</button></form></section>`;

/** What has happened, in one sentence. `origin`: of the links, for those who read it elsewhere. */
export function newsOf(
  { openReports, history }: Pick<Overview, 'openReports' | 'history'>,
  accounts: readonly GameAccount[],
  origin = '',
): Html {
  const sum = (figure: (hour: HourFigures) => number) =>
    history.map(figure).reduce((all, one) => all + one, 0);
  const failed = sum((hour) => hour.failed);
  const link = (path: string, text: Html) => html`<a href="${`${origin}${path}`}">${text}</a>`;
  return separated(', ', [
    openReports > 0
      ? link(
          REPORTS,
          counted(openReports, {
            one: say`${count(openReports)} open report`,
            other: say`${count(openReports)} open reports`,
          }),
        )
      : say`No open reports`,
    ...resting(accounts).map(([, until]) => link(ACCOUNTS, until)),
    link('/ui/operator#history', say`${skinCount(sum(({ made }) => made.new))} in 24 hours`),
    link('/ui/operator#failures', failed === 0 ? say`nothing failed` : failureCount(failed)),
  ]);
}

/** Game accounts that rest, each with a sentence that says how long. */
function resting(accounts: readonly GameAccount[]): (readonly [account: GameAccount, until: Html])[] {
  return accounts.flatMap((account) => {
    const { state, name, coolUntil } = account;
    if (state !== 'active' || coolUntil === undefined) return [];
    return [[account, say`<bdi>${name}</bdi> rests until ${moment(coolUntil)}`] as const];
  });
}

/** The line of the day, and what waits for the operator. A feed reader shows as new what has another ID. */
async function entriesFor(context: ServiceContext, caller: Caller, reader: Reader): Promise<FeedEntry[]> {
  const accounts = await readGameAccounts(context, caller);
  const openReports = await countReportsToDecide(context, caller);
  const view = { openReports, history: await context.stats.readHistory() };
  const day = new Date(context.clock.now()).toISOString().slice(0, 10);
  const news = newsOf(view, accounts, context.publicUrl());
  const rests = resting(accounts).map(([{ uuid, coolUntil, lastError, linkedAt }, until]) => ({
    id: `rest-${uuid}-${coolUntil}`,
    title: until.writeText(reader),
    path: ACCOUNTS,
    updated: lastError?.at ?? linkedAt,
    content: html`${lastError?.message}`,
  }));
  const reports = await readReports(context, caller, { state: 'open', size: FED });
  const line = { id: day, title: news.writeText(reader), path: HOME, updated: day, content: news };
  return [line, ...rests, ...reports.map(reportEntry)];
}

function reportEntry({ id, reason, text, createdAt, name, skin, set }: Report): FeedEntry {
  const title = separated(': ', [REASON_WORDS[reason], name ?? (skin ?? set)?.slice(0, 8)]);
  return { id: `report-${id}`, title, path: REPORTS, updated: createdAt, content: html`${text}` };
}
