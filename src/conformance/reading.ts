import type { z } from 'zod';
import type { ErrorCode } from '../protocol/errors.ts';
import { receivedSkinListAnswerSchema, type SkinListItem } from '../protocol/skin.ts';
import { textureName } from '../textures/property.ts';
import {
  type Answer,
  codeOf,
  contentOf,
  expect,
  expectRefusal,
  expectStatus,
  notTried,
  type SentRequest,
  shaped,
} from './finding.ts';
import { expectData, pictureAt } from './proof.ts';
import {
  CAPE_LIST,
  DELAY,
  JOB_ANSWER,
  JOB_LIST,
  ME,
  ME_CLIENT,
  ME_KEY,
  ME_KEYS,
  type PublishedJob,
  type PublishedSkin,
  SKIN_ANSWER,
} from './published.ts';
import type { Check, Target } from './target.ts';

/** Ids that no server gives: of the form that every server accepts. */
const NO_JOB = '0123456789abcdef01234567';
export const NO_SKIN = '0123456789abcdef0123456789abcdef';
const NO_KEY = 'f0'.repeat(32);

type Row = Omit<Check, 'run'>;

/** GET of this address has this shape. */
export function has(schema: z.ZodType, path: string, row: Row): Check {
  return { ...row, run: async ({ session }) => void contentOf(await session.get(path), schema) };
}

/** GET of this address is refused with this status and code. `as`: with another key than the caller's. */
function refuses(
  path: string,
  [status, code]: readonly [number, ErrorCode],
  { as = 'own', ...row }: Row & { readonly as?: SentRequest['key'] },
): Check {
  const run: Check['run'] = async ({ session }) =>
    expectRefusal(await session.get(path, { key: as }), [status], code);
  return { ...row, codes: [code], run };
}

/** The checks that send GET only. */
export const READING: readonly Check[] = [
  {
    id: 'jobs-list',
    judges: 'GET /v2/queue lists the jobs of the caller with their statuses, newest first.',
    statements: ['4.4', '2.5', '2.6', '6.2'],
    needsKey: true,
    isRequired: true,
    run: async ({ session }) => {
      const answer = await session.get('/v2/queue');
      const { jobs } = contentOf(answer, JOB_LIST);
      const times = jobs.flatMap(({ timestamp }) => timestamp ?? []);
      const isSorted = times.every((time, at) => at === 0 || time <= (times[at - 1] ?? time));
      expect(answer, isSorted, 'the newest job first', 'jobs in another order');
    },
  },
  {
    id: 'jobs-list-anonymous',
    judges: 'GET /v2/queue without a key is refused, or lists nobody else’s jobs.',
    statements: ['4.4', '5.1'],
    codes: ['unauthorized'],
    run: async ({ session }) => {
      const answer = await session.get('/v2/queue', { key: 'none' });
      if (answer.status === 200) return void shaped(answer, JOB_LIST);
      expectRefusal(answer, [401], 'unauthorized');
    },
  },
  has(JOB_LIST, '/queue', {
    id: 'jobs-without-version',
    judges: 'The list of jobs exists without /v2, too.',
    statements: ['4.n1'],
    needsKey: true,
  }),
  refuses(`/v2/queue/${NO_JOB}`, [404, 'job_not_found'], {
    id: 'job-unknown',
    judges: 'A job that does not exist, or is another caller’s, is 404 with job_not_found.',
    statements: ['4.3', '7.3'],
    isRequired: true,
  }),
  {
    id: 'job-completed',
    judges: 'A completed job answers 200 with its skin, whose UUID is its result.',
    statements: ['4.3', '1.3d', '3.1'],
    needsKey: true,
    run: async ({ session }) => {
      for (const job of await jobsOf({ session }, 'completed')) {
        const answer = await session.get(`/v2/queue/${encodeURIComponent(job.id)}`);
        const { job: seen, skin } = contentOf(answer, JOB_ANSWER);
        if (!skin && (await isDeleted({ session }, job.result))) continue;
        expect(answer, seen.status === 'completed' && skin !== undefined, 'the skin of the job', seen);
        expect(answer, seen.result === skin?.uuid, 'the UUID of its skin as result', `${seen.result}`);
        return;
      }
      throw notTried('The skins of the newest completed jobs were deleted.');
    },
  },
  {
    id: 'job-failed',
    judges: 'A failed job answers 200 with success, and with its reason in errors.',
    statements: ['7.1', '7.4', '2.5'],
    needsKey: true,
    run: async ({ session }) => {
      const [job] = await jobsOf({ session }, 'failed');
      const answer = await session.get(`/v2/queue/${encodeURIComponent(job.id)}`);
      const { success, errors = [] } = contentOf(answer, JOB_ANSWER);
      expect(answer, success, 'success: true, because the request did not fail', `success: ${success}`);
      expect(answer, errors.length > 0, 'the reason in errors', 'no reason');
    },
  },
  refuses(`/v2/skins/${NO_SKIN}`, [404, 'skin_not_found'], {
    id: 'skin-unknown',
    judges: 'A skin that does not exist is 404 with skin_not_found.',
    statements: ['7.3'],
  }),
  refuses('/v2/skins/no-uuid', [400, 'validation_error'], {
    id: 'skin-id-invalid',
    judges: 'A request that breaks a rule is 400 with validation_error.',
    statements: ['7.3'],
  }),
  {
    id: 'skins-public',
    judges: 'GET /v2/skins is a page of public skins, of the requested size, with a link to the next one.',
    statements: ['1.4d'],
    run: async ({ session }) => {
      const answer = await session.get('/v2/skins?size=2');
      const { skins, pagination } = contentOf(answer, receivedSkinListAnswerSchema);
      expect(answer, skins.length <= 2, 'at most 2 skins', `${skins.length}`);
      expectPublic(answer, skins);
      const after = pagination?.next?.after;
      if (after === undefined) return;
      const next = await session.get(`/v2/skins?size=2&after=${encodeURIComponent(after)}`);
      const rest = contentOf(next, receivedSkinListAnswerSchema).skins;
      const again = rest.filter(({ uuid }) => skins.some((one) => one.uuid === uuid));
      expect(next, again.length === 0, 'other skins than on the page before', again);
    },
  },
  refuses('/v2/skins?size=0', [400, 'validation_error'], {
    id: 'skins-size',
    judges: 'A page of more skins than are allowed, or of none, is 400 with validation_error.',
    statements: ['7.3'],
  }),
  ...(['latest', 'random'] as const).map(
    (which): Check => ({
      id: `skins-${which}`,
      judges: `GET /v2/skins/${which} has public skins only.`,
      statements: ['1.4d'],
      endpoints: [`GET /v2/skins/${which}`],
      run: async ({ session }) => {
        const answer = await session.get(`/v2/skins/${which}`);
        expectPublic(answer, contentOf(answer, receivedSkinListAnswerSchema).skins);
      },
    }),
  ),
  {
    id: 'skins-own',
    judges: 'GET /v2/me/skins lists the caller’s skins; without a key, none.',
    statements: ['1.4c', '5.1'],
    codes: ['unauthorized'],
    needsKey: true,
    run: async ({ session }) => {
      contentOf(await session.get('/v2/me/skins'), receivedSkinListAnswerSchema);
      const others = await session.get('/v2/me/skins', { key: 'none' });
      expectRefusal(others, [401, 404], 'unauthorized', 'user_not_found');
    },
  },
  has(CAPE_LIST, '/v2/capes', {
    id: 'capes',
    judges: 'GET /v2/capes lists the capes that skins may have.',
    endpoints: ['GET /v2/capes'],
  }),
  has(ME, '/v2/me', {
    id: 'me',
    judges: 'GET /v2/me has the user of the key, and what the plan grants.',
    statements: ['5.1', '1.6b'],
    endpoints: ['GET /v2/me'],
    needsKey: true,
  }),
  refuses('/v2/me', [404, 'user_not_found'], {
    id: 'me-anonymous',
    judges: 'GET /v2/me without a key is 404 with user_not_found.',
    as: 'none',
  }),
  refuses('/v2/me', [403, 'invalid_api_key'], {
    id: 'key-unknown',
    judges: 'An unknown key gets 403 invalid_api_key.',
    statements: ['5.1', '5.5'],
    as: { text: NO_KEY },
  }),
  {
    id: 'me-key',
    judges: 'GET /v2/me/apikey describes the key, and does not repeat it.',
    endpoints: ['GET /v2/me/apikey'],
    needsKey: true,
    run: async ({ session }) => {
      const answer = await session.get('/v2/me/apikey');
      contentOf(answer, ME_KEY);
      expect(answer, !answer.text.includes('[API key]'), 'nothing of the key itself', 'the whole key');
    },
  },
  has(ME_KEYS, '/v2/me/apikeys', {
    id: 'me-keys',
    judges: 'GET /v2/me/apikeys lists the keys of the caller.',
    endpoints: ['GET /v2/me/apikeys'],
    needsKey: true,
  }),
  has(ME_CLIENT, '/v2/me/client', {
    id: 'me-client',
    judges: 'GET /v2/me/client says who calls, as the server sees it.',
    endpoints: ['GET /v2/me/client'],
    needsKey: true,
  }),
  {
    id: 'delay',
    judges: 'GET /v2/delay says when the next request may come, in milliseconds, and what is left.',
    statements: ['8.4'],
    endpoints: ['GET /v2/delay'],
    run: async ({ session }) => {
      const answer = await session.get('/v2/delay');
      expectStatus(answer, 200);
      const { rateLimit = answer.json } = (answer.json ?? {}) as { rateLimit?: unknown };
      shaped({ ...answer, json: rateLimit }, DELAY);
    },
  },
  {
    id: 'address-unknown',
    judges: 'An address that does not exist is 404 with not_found, in JSON.',
    statements: ['7.3', '9.1'],
    codes: ['not_found'],
    run: async ({ session }) => {
      const answer = await session.get('/v2/conformance-of-nothing');
      expect(answer, answer.status === 404 && codeOf(answer) === 'not_found', '404 not_found', answer.text);
    },
  },
];

/** The same, of a skin: one of this run, of the caller or of everyone. */
export const READING_SKINS: readonly Check[] = [
  {
    id: 'skin',
    judges:
      'A skin has its value and signature at skin.texture.data, and the fields of the published contract.',
    statements: ['1.1', '2.1', '2.2', '2.3', '9.3d'],
    run: async (target) => {
      const { answer, skin } = await readSkin(target);
      await expectData(target, answer, skin);
    },
  },
  {
    id: 'texture',
    judges: 'The address of a texture has a skin of 64x64 pixels, or of 64x32 as in old ones.',
    statements: ['1.1'],
    run: async (target) => {
      const { answer, skin } = await readSkin(target);
      const { width, height } = await pictureAt(target.session, answer, skin.texture.url.skin);
      const isSkin = width === 64 && (height === 64 || height === 32);
      expect(answer, isSkin, `a skin at ${skin.texture.url.skin}`, `${width}x${height} pixels`);
    },
  },
  {
    id: 'skin-texture',
    judges: 'GET /v2/skins/{uuid}/texture redirects to the texture.',
    endpoints: ['GET /v2/skins/{uuid}/texture'],
    run: async (target) => {
      const { skin } = await readSkin(target);
      const answer = await target.session.get(`/v2/skins/${skin.uuid}/texture`);
      expectStatus(answer, 301, 302, 303, 307, 308);
      const location =
        URL.parse(String(answer.headers['location'] ?? ''), target.session.baseUrl)?.href ?? 'none';
      const isIt = textureName(location) === skin.texture.hash.skin;
      expect(answer, isIt, 'the address of its texture', location);
    },
  },
  {
    id: 'image',
    judges: 'GET /v2/images/{hash} has the picture of a texture.',
    endpoints: ['GET /v2/images/{hash}'],
    run: async (target) => {
      const { skin } = await readSkin(target);
      const answer = await target.session.get(`/v2/images/${skin.texture.hash.skin}`);
      expectStatus(answer, 200, 301, 302, 303, 307, 308);
      const isPicture = /^image\/png\b/.test(String(answer.headers['content-type'])) || answer.status > 300;
      expect(answer, isPicture, 'a PNG file or a redirect to one', String(answer.headers['content-type']));
    },
  },
];

/** @throws Finding if one of these skins is not public */
function expectPublic(answer: Answer, skins: readonly SkinListItem[]): void {
  const hidden = skins.filter(({ visibility = 'public' }) => visibility !== 'public');
  expect(answer, hidden.length === 0, 'public skins only', hidden);
}

/** Maximum number of jobs that are read until one has its skin. */
const MOST_JOBS = 3;

/** The newest jobs in the list with this status. @throws Finding if there are none */
async function jobsOf(
  { session }: Pick<Target, 'session'>,
  status: PublishedJob['status'],
): Promise<[PublishedJob, ...PublishedJob[]]> {
  const { jobs } = contentOf(await session.get('/v2/queue'), JOB_LIST);
  const [first, ...others] = jobs.filter((one) => one.status === status);
  if (first) return [first, ...others.slice(0, MOST_JOBS - 1)];
  throw notTried(`None of the ${jobs.length} jobs in the list is ${status}.`);
}

/** Whether the skin of a job is no longer there. */
async function isDeleted({ session }: Pick<Target, 'session'>, uuid: string | undefined): Promise<boolean> {
  if (uuid === undefined) return false;
  return (await session.get(`/v2/skins/${encodeURIComponent(uuid)}`)).status === 404;
}

/** One of this run, of the caller or, if there is none, of everyone. @throws Finding */
async function readSkin({ session, making }: Target): Promise<{ answer: Answer; skin: PublishedSkin }> {
  const made = making.drafts.find(({ uuid }) => uuid !== undefined)?.uuid;
  const uuid =
    made ?? (await firstOf({ session }, '/v2/me/skins')) ?? (await firstOf({ session }, '/v2/skins'));
  if (uuid === undefined) throw notTried('The server has no skin that can be read: --only write makes some.');
  const answer = await session.get(`/v2/skins/${encodeURIComponent(uuid)}`);
  return { answer, skin: contentOf(answer, SKIN_ANSWER).skin };
}

async function firstOf({ session }: Pick<Target, 'session'>, path: string): Promise<string | undefined> {
  if (path.startsWith('/v2/me') && !session.hasKey) return undefined;
  const { data } = receivedSkinListAnswerSchema.safeParse((await session.get(`${path}?size=1`)).json);
  return data?.skins[0]?.uuid;
}
