import { z } from 'zod';
import { type Content, count, counted, type Html, html, say } from '../html/html.ts';
import { isPending, JOB_STATUSES, type JobStatus } from '../protocol/job.ts';
import type { ServiceContext } from '../server/context.ts';
import { EVENT_STREAM_HEADERS, EventStream } from '../server/http/event-stream.ts';
import { renderAnswer } from '../server/http/routes/pictures.ts';
import { jobErrors } from '../server/http/views.ts';
import { inputFor } from '../server/pictures/renders.ts';
import { isVisitorsJob } from '../server/queue/enqueue.ts';
import { countWaitingBefore, findJob, type JobWithSkin, type ListedJob } from '../server/queue/lists.ts';
import { type Caller, hasScope } from '../server/service/callers.ts';
import { expectedEnd } from '../server/service/forecast.ts';
import { followJobs, type JobFollower } from '../server/service/jobs/job-feeds.ts';
import {
  type JobListQuery,
  type ListedJobs,
  listJobs,
  readJob,
  waitForChange,
} from '../server/service/jobs/jobs.ts';
import { Refusal } from '../server/service/refusal.ts';
import { signedBy } from '../server/service/skins/skins.ts';
import { retryJob } from '../server/service/submitting/submit.ts';
import type { JobRow } from '../server/store/schema/tables.ts';
import { findTexture } from '../server/store/textures.ts';
import { visitorSecret } from './cookies.ts';
import { actionButton, moment, type Page, reasonOf, titleOf } from './frame.ts';
import {
  addressWith,
  formFor,
  optionalField,
  type PageCall,
  type PageRoute,
  pageFor,
  seeOther,
  verifyMaySee,
} from './page-route.ts';
import { rememberedUse } from './skin.ts';
import { bestWayOf } from './skin-uses.ts';

const params = z.object({ jobId: z.string().max(64) });
const listQuery = z.object({
  status: optionalField(z.enum(JOB_STATUSES)),
  after: optionalField(z.string().regex(/^\d{1,15}$/)),
});
/** Milliseconds that the page waits for the skin. Most skins are made by then. */
const PAGE_WAIT = 5_000;
/** Milliseconds that a page's script waits for a change. */
const CHANGE_WAIT = 20_000;

export const JOB_PAGES: readonly PageRoute[] = [
  pageFor('callers', '/ui/jobs', { scopes: ['read'], query: listQuery }, jobsPage),
  // The events of /v2/queue/events for the visitor, reduced to the fields that the page shows.
  pageFor('callers', '/ui/jobs/events', { scopes: ['read'] }, async (call) => {
    const { context, caller, request, verify } = call;
    verifyMaySee(caller, request, context.webPages);
    if (request.method === 'HEAD') return { status: 200, body: undefined, headers: EVENT_STREAM_HEADERS };
    const stream = new EventStream({ greeting: 'your jobs', request, clock: context.clock });
    const stop = await followJobs(context, caller, follower(stream, jobFilter(call)));
    stream.whenGone(stop);
    stream.whenGone(context.openRequests.hold(verify, () => void stream.end()));
    void stream.beat();
    return { status: 200, headers: EVENT_STREAM_HEADERS, body: stream.body };
  }),
  pageFor('callers', '/ui/jobs/:jobId', { scopes: ['read'], params }, async ({ context, caller, params }) => {
    const { job, skin } = await endedJob(context, caller, params.jobId);
    if (skin) return seeOther(`/ui/skins/${skin.uuid}`);
    return jobPage(job, await progressOf(context, job));
  }),
  // The picture of a job of the visitor's own, which may never become a skin.
  pageFor('callers', '/ui/jobs/:jobId/picture', { scopes: ['read'], params }, async (call) => {
    const { context, caller } = call;
    const job = await findJob(context.db, call.params.jobId);
    const texture = job?.owner === caller.owner && (await findTexture(context.db, job.texture_hash));
    if (!job || !texture) throw new Refusal('not_found');
    const look = { view: 'front', size: PICTURE, overlay: true, variant: job.variant } as const;
    const headers = { 'Cross-Origin-Resource-Policy': 'same-origin' };
    return await renderAnswer(call, inputFor(texture, look), headers);
  }),
  pageFor(
    'callers',
    '/ui/jobs/:jobId/state',
    {
      scopes: ['read'],
      params,
      query: z.object({ seen: z.enum(['', 'waiting', 'processing']).default('') }),
    },
    async (call) => {
      const { context, caller, params, query } = call;
      const found = await readJob(context, caller, params.jobId);
      const isNews = found.job.status !== query.seen;
      const state = isNews ? found : await waitForChange(context, found.job, { ms: CHANGE_WAIT });
      return { status: 200, body: await stateOf(state, call) };
    },
  ),
  formFor('callers', '/ui/jobs/:jobId/retry', { scopes: ['generate'], params }, async (call) => {
    const input = { uuid: call.params.jobId, visitor: visitorSecret(call) };
    const { job } = await retryJob(call.context, call.caller, input);
    return seeOther(`/ui/jobs/${job.uuid}`);
  }),
];

/** Height of a job's picture, in pixels. */
const PICTURE = 384;

/** How far a pending job is, for people. */
async function progressOf(context: ServiceContext, job: JobRow): Promise<Html> {
  if (job.status !== 'waiting') return say`Making the skin.`;
  const before = await countWaitingBefore(context.db, job);
  const end = await expectedEnd(context, job);
  const place =
    before === 0
      ? say`Waiting: next in the queue`
      : counted(before, {
          one: say`Waiting: ${count(before)} job before this one`,
          other: say`Waiting: ${count(before)} jobs before this one`,
        });
  return end === undefined ? place : say`${place}, about ${span(Math.max(0, end - context.clock.now()))}`;
}

async function endedJob(context: ServiceContext, caller: Caller, uuid: string): Promise<JobWithSkin> {
  const found = await readJob(context, caller, uuid);
  if (found.job.status === 'completed' || found.job.status === 'failed') return found;
  return await waitForChange(context, found.job, { ms: PAGE_WAIT, untilEnd: true });
}

async function stateOf(
  { job, skin }: JobWithSkin,
  call: Pick<PageCall, 'context' | 'request' | 'reader'>,
): Promise<object> {
  const [error] = jobErrors(job);
  if (error) return { status: job.status, says: reasonOf(error).writeText(call.reader) };
  if (!skin)
    return { status: job.status, says: (await progressOf(call.context, job)).writeText(call.reader) };
  const { uuid, value, signature, url } = skin;
  const signer = await signedBy(call.context, skin);
  const way = bestWayOf(rememberedUse(call), skin, { signer, reader: call.reader });
  return { status: job.status, skin: { uuid, value, signature, url, ...(way && { way }) } };
}

/** Jobs from a visitor's address to read at once, and in all, to find those from the browser. */
const READ_AT_ONCE = 100;
const MAX_READ = 2_000;

/** Jobs per page. */
const SIZE = 50;

/** Jobs per page with an expected end: each forecast reads the whole queue. */
const MAX_FORECASTS = 10;

type Listed = Pick<ListedJobs, 'jobs' | 'next' | 'total'>;

/** The jobs from the visitor's address that came from this browser. */
async function visitorsJobs(call: PageCall, { status, after }: JobListQuery): Promise<Listed> {
  const secret = visitorSecret(call);
  const found: ListedJob[] = [];
  let next = after;
  for (let looked = 0; secret !== undefined && looked < MAX_READ && found.length <= SIZE; ) {
    const page = await listJobs(call.context, call.caller, { status, after: next, size: READ_AT_ONCE });
    found.push(...page.jobs.filter(({ uuid }) => isVisitorsJob(uuid, secret)));
    next = page.next;
    looked += page.jobs.length;
    if (next === undefined) break;
  }
  const jobs = found.slice(0, SIZE);
  return { jobs, next: found.length > SIZE ? jobs.at(-1)?.id.toString() : undefined };
}

/** Adds the expected ends of the first pending jobs. */
async function ownJobs(context: ServiceContext, jobs: readonly ListedJob[]): Promise<OwnJob[]> {
  const pending = jobs.filter(({ status }) => isPending(status)).slice(-MAX_FORECASTS);
  const etas = new Map<string, number | undefined>();
  for (const { uuid } of pending) {
    const job = await findJob(context.db, uuid);
    if (job && isPending(job.status)) etas.set(uuid, await expectedEnd(context, job));
  }
  return jobs.map((job) => ({ ...job, eta: etas.get(job.uuid) }));
}

/** Which jobs the person may see. */
function jobFilter(call: PageCall): (job: { readonly uuid: string }) => boolean {
  if (call.session) return () => true;
  const secret = visitorSecret(call);
  return ({ uuid }) => secret !== undefined && isVisitorsJob(uuid, secret);
}

/** Milliseconds for which jobs are news to those who come back. */
const RECENT = 3_600_000;

/** What has become of the visitor's latest jobs, for the page that makes more. */
export async function latestJobs(call: PageCall): Promise<Html | undefined> {
  const { context, caller } = call;
  if (!hasScope(caller, 'read') || !context.webPages.isTrusted(caller)) return undefined;
  const { jobs } = call.session
    ? await listJobs(context, caller, { size: SIZE })
    : await visitorsJobs(call, {});
  const recent = jobs.filter(({ created_at }) => created_at > context.clock.now() - RECENT);
  if (recent.length === 0) return undefined;
  const [made, failed] = (['completed', 'failed'] as const).map(
    (status) => recent.filter((job) => job.status === status).length,
  );
  const pending = recent.filter(({ status }) => isPending(status)).length;
  return html`<p class="quiet"><a href="${PATH}">${say`Your latest jobs: ${count(made!)} done, ${count(pending)} under way, ${count(failed!)} failed`}</a></p>`;
}

function follower(stream: EventStream, isShown: ReturnType<typeof jobFilter>): JobFollower {
  return {
    pending: (jobs) =>
      stream.send(
        'pending',
        jobs.filter(isShown).map(({ uuid: id, status }) => ({ id, status })),
      ),
    job: ({ job, skin }) => {
      if (isShown(job))
        stream.send('job', { id: job.uuid, status: job.status, ...(skin && { skin: skin.uuid }) });
    },
    end: () => void stream.end(),
  };
}

/** A job without a skin: a completed one redirects to its skin. `says`: how far it is. */
function jobPage(job: JobRow, says: Html): Page {
  const { uuid, name, source, created_at } = job;
  const [error] = jobErrors(job);
  return {
    title: error ? say`The skin could not be made` : say`Making the skin`,
    body: html`<div class="job"><div class="stage"><img src="/ui/jobs/${uuid}/picture" alt="${say`The picture`}" width="192" height="384"></div>
<div>${
      error
        ? html`<p class="lead">${reasonOf(error)}</p><div class="acts"><form method="post" action="/ui/jobs/${uuid}/retry"><button>${say`Try again`}</button></form> <a href="/ui/make">${say`Make another one`}</a></div>`
        : html`<p class="lead" data-job="${uuid}" role="status">${says}</p><p><a class="button" href="/ui/jobs/${uuid}">${say`Refresh`}</a></p>`
    }
<dl class="facts">${name !== null && html`<div><dt>${say`Name`}</dt><dd><bdi>${name}</bdi></dd></div>`}
${source !== null && html`<div><dt>${say`Made from`}</dt><dd><bdi>${source}</bdi></dd></div>`}
<div><dt>${say`Submitted`}</dt><dd>${moment(created_at)}</dd></div></dl>
<p class="quiet">${error ? say`Error <code>${error.code}</code>, job <code>${uuid}</code>` : say`Job <code>${uuid}</code>`}</p>
<p><a href="${PATH}">${say`All jobs`}</a></p></div></div>`,
    terminal: { command: `skinsmith ${error ? 'retry' : 'status'} ${uuid}`, path: `/v2/queue/${uuid}` },
  };
}

/** One of the visitor's own jobs. */
interface OwnJob extends ListedJob {
  /** When it is expected to end. */
  readonly eta: number | undefined;
}

const PATH = '/ui/jobs';
const STATES: Readonly<Record<JobStatus, Html>> = {
  waiting: say`Waiting`,
  processing: say`Being made`,
  completed: say`Completed`,
  failed: say`Failed`,
};

async function jobsPage(call: PageCall<unknown, z.output<typeof listQuery>>): Promise<Page> {
  const { context, caller, request, session } = call;
  const { status, after } = call.query;
  verifyMaySee(caller, request, context.webPages);
  const input = { status, after, size: SIZE };
  const list = session ? await listJobs(context, caller, input) : await visitorsJobs(call, input);
  const { next, total } = list;
  const jobs = await ownJobs(context, list.jobs);
  const now = context.clock.now();
  // The page's script keeps an unfiltered list of the newest ones up to date.
  const isLive = after === undefined && status === undefined;
  const tabs = Object.entries({ '': say`All`, ...STATES });
  return {
    title: titleOf(say`My jobs`, [status && STATES[status]]),
    body: html`<nav class="tabs" aria-label="${say`Status`}">
${tabs.map(([value, label]) => html`<a href="${addressWith(PATH, { status: value })}"${value === (status ?? '') && html` aria-current="page"`}>${label}</a>`)}
</nav>
${total !== undefined && total > 0 && html`<p class="quiet">${counted(total, { one: say`${count(total)} job`, other: say`${count(total)} jobs` })}</p>`}
<p class="quiet" role="status" data-news hidden></p>
${
  jobs.length > 0
    ? html`<ol class="list"${isLive && html` data-jobs`}>${jobs.map((job) => row(job, now))}</ol>`
    : html`<p class="empty"${isLive && html` data-jobs`}>${status === undefined ? say`No jobs yet. <a href="/ui/make">Make a skin.</a>` : say`No jobs with this status. <a href="/ui/make">Make a skin.</a>`}</p>`
}
${next !== undefined && html`<p class="more"><a class="button" href="${addressWith(PATH, { status, after: next })}">${say`Older jobs`}</a></p>`}`,
    terminal: {
      command: status === undefined ? 'skinsmith jobs' : `skinsmith jobs --status ${status}`,
      path: `/v2/queue?size=50${status === undefined ? '' : `&status=${status}`}`,
    },
  };
}

function row(job: OwnJob, now: number): Html {
  const { uuid, status, source, name, skin_uuid, created_at } = job;
  const [error] = jobErrors(job);
  const short = uuid.slice(-8); // the start of the UUID is a time
  return html`<li class="panel" data-own-job="${uuid}" data-status="${status}"><div class="grow">
<a href="${PATH}/${uuid}"><strong><bdi>${source ?? name ?? say`Job ${short}`}</bdi></strong></a>
<span class="tag ${status}" data-state>${STATES[status]}</span>
<p class="quiet">${name !== null && source !== null && !source.startsWith(`${name}.`) && html`${say`Named <bdi>${name}</bdi>.`} `}${say`Submitted ${moment(created_at)}`}<span data-time${job.finished_at === null && job.eta !== undefined && html`="${job.eta - now}"`}>${timeOf(job, now)}</span></p>
${error && html`<p class="problem"><bdi>${reasonOf(error)}</bdi></p>`}</div>
<div class="acts" data-acts>${skin_uuid !== null && status === 'completed' && html`<a class="button quiet-button" href="/ui/skins/${skin_uuid}">${say`Open the skin`}</a>`}
${status === 'failed' && actionButton(`${PATH}/${uuid}/retry`, say`Try again`, { about: source ?? uuid })}</div></li>`;
}

/** How long it took, or when it is expected to end. */
function timeOf({ created_at, finished_at, eta }: OwnJob, now: number): Content {
  if (finished_at !== null) return say`, took ${span(finished_at - created_at)}`;
  return eta !== undefined && say`, done in about ${span(Math.max(0, eta - now))}`;
}

/** Milliseconds in words. */
function span(ms: number): Html {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return say`${count(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? say`${count(minutes)} min` : say`${count(Math.round(minutes / 60))} h`;
}
