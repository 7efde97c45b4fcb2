import type { RequestContent } from '../../src/client/transport.ts';
import { ROUTES } from '../../src/server/http/routes/routes.ts';
import type { Ask, Told } from '../support/http/adapters/asking.ts';
import { capePng } from '../support/server/drawn-capes.ts';
import { dataUrl, skinPng } from '../support/server/drawn-skins.ts';

/** What was learned so far from the answers of one service. */
export interface Known {
  /** API keys. */
  readonly owner: string;
  user: string;
  keyId: string;
  job: string;
  skin: string;
  cape: string;
  texture: string;
}

/** A request that a route accepts, or refuses only because the game is not there. */
export interface Step {
  /** The method and the address of the route, as the table of routes has them. */
  readonly route: string;
  /** Values of the placeholders. */
  readonly params?: (known: Known) => Readonly<Record<string, string>>;
  readonly query?: string;
  readonly content?: RequestContent;
  /** Default: the owner. */
  readonly as?: 'user' | 'nobody';
  readonly learn?: (body: Body, known: Known) => void;
}

interface Body {
  readonly key?: { readonly id: string; readonly secret?: string };
  readonly skin?: { readonly uuid: string; readonly texture: { readonly hash: { readonly skin: string } } };
  readonly job?: { readonly id: string };
  readonly cape?: { readonly uuid: string };
}

const PLAYER = '069a79f444e94726a5befca90e38aaf5';
const NO_IMAGE = '0'.repeat(64);
const file = (number: number, fields: Readonly<Record<string, string>> = {}): RequestContent => ({
  fields,
  file: { bytes: skinPng(number), fileName: 'skin.png' },
});
const json = (value: unknown): RequestContent => ({ json: value });
const get = (path: string, step: Omit<Step, 'route'> = {}): Step => ({ route: `GET ${path}`, ...step });
const post = (path: string, content?: RequestContent, step: Omit<Step, 'route' | 'content'> = {}): Step => ({
  route: `POST ${path}`,
  ...(content && { content }),
  ...step,
});
const patch = (path: string, content: RequestContent, params: Step['params']): Step => ({
  route: `PATCH ${path}`,
  content,
  ...(params && { params }),
});

const ofSet = () => ({ set: 'set-one' });
const ofSkin = ({ skin }: Known) => ({ uuid: skin });
const player = () => ({ uuid: PLAYER });
const learnSkin: NonNullable<Step['learn']> = ({ skin }, known) => {
  known.skin = skin?.uuid ?? known.skin;
  known.texture = skin?.texture.hash.skin ?? known.texture;
};

const learnJob: NonNullable<Step['learn']> = ({ job }, known) => {
  known.job = job?.id ?? '';
};
const learnCape: NonNullable<Step['learn']> = ({ cape }, known) => {
  known.cape = cape?.uuid ?? '';
};

/** All of it is sent to each service, in this order. Every route that is not only read must be here. */
const TOLD: readonly Step[] = [
  post('/v2/account/keys', json({ user: 'bob', name: 'first' }), {
    learn: ({ key }, known) => {
      known.user = key?.secret ?? '';
      known.keyId = key?.id ?? '';
    },
  }),
  post('/v2/generate', file(1, { name: 'One' }), { learn: learnSkin }),
  get('/v2/skins/random'), // while there is one only
  get('/get/random'),
  post('/v2/generate', json({ url: dataUrl(skinPng(2)) }), { as: 'nobody' }),
  post('/v2/generate', json({ user: PLAYER })),
  post('/v2/generate', json({ url: 'http://127.0.0.1/skin.png' })),
  post('/v2/queue', file(1), { learn: learnJob }),
  post('/v2/queue', file(1, { name: 'Two' }), { as: 'user' }),
  post('/v2/queue/batch', json({ batch: [{ url: dataUrl(skinPng(1)) }, { url: 'nowhere' }] })),
  get('/v2/queue'),
  get('/v2/queue', { query: '?size=1&status=completed' }),
  get('/v2/queue/:jobId', { params: ({ job }) => ({ jobId: job }) }),
  post('/v2/queue/:jobId/retry', undefined, { params: ({ job }) => ({ jobId: job }) }),
  get('/v2/queue/events'),
  get('/v2/skins'),
  get('/v2/skins', { query: '?size=1', as: 'nobody' }),
  get('/v2/skins/popular'),
  get('/v2/stats'),
  get('/v2/skins/pack.zip', { query: `?ids=${'0'.repeat(32)}` }),
  get('/v2/skins/:uuid', { params: ofSkin }),
  patch('/v2/skins/:uuid', json({ name: 'Renamed' }), ofSkin),
  get('/v2/skins/:uuid/texture', { params: ofSkin }),
  get('/v2/skins/:uuid/similar', { params: ofSkin }),
  post('/v2/skins/:uuid/interactions/views', undefined, { params: ofSkin }),
  post('/v2/skins/:uuid/interactions/likes', undefined, { params: ofSkin }),
  { route: 'DELETE /v2/skins/:uuid/interactions/likes', params: ofSkin },
  post('/v2/skins/:uuid/tags', json({ tag: 'robot', vote: 'up' }), { params: ofSkin }),
  post('/v2/skins/:uuid/report', json({ reason: 'other', text: 'look' }), { params: ofSkin }),
  post('/v2/account/reports/:id/close', json({ note: 'fine' }), { params: () => ({ id: '1' }) }),
  patch('/v2/account/skins/:uuid', json({ hidden: true }), ofSkin),
  patch('/v2/account/skins/:uuid', json({ hidden: false }), ofSkin),
  post('/v2/account/blocked-images', json({ hash: NO_IMAGE })),
  { route: 'DELETE /v2/account/blocked-images/:hash', params: () => ({ hash: NO_IMAGE }) },
  { route: 'DELETE /v2/account/skins/:uuid', params: () => ({ uuid: PLAYER }) },
  { route: 'PUT /v2/players/:name', params: () => ({ name: 'Steve' }), content: json({ user: 'bob' }) },
  {
    route: 'PUT /api/user/profile/:uuid/:type',
    params: () => ({ uuid: PLAYER, type: 'skin' }),
    content: file(1),
  },
  { route: 'DELETE /api/user/profile/:uuid/:type', params: () => ({ uuid: PLAYER, type: 'skin' }) },
  post('/v2/sets', json({ name: 'Set One' })),
  patch('/v2/sets/:set', json({ visibility: 'unlisted' }), ofSet),
  { route: 'DELETE /v2/set-names/:name', params: () => ({ name: 'none' }) },
  patch('/v2/account/sets/:uuid', json({ hidden: true }), player),
  post('/v2/sets/:set/report', json({ reason: 'other', text: 'look' }), { params: ofSet }),
  { route: 'DELETE /v2/account/sets/:uuid', params: player },
  get('/v2/capes'),
  get('/v2/me'),
  get('/v2/me', { as: 'user' }),
  get('/v2/me/apikey'),
  get('/v2/me/apikeys'),
  get('/v2/me/client'),
  get('/v2/me/skins'),
  get('/v2/me/skins.zip', { query: '?filter=nobody' }),
  get('/v2/me/skins.lock', { query: '?filter=nobody' }),
  patch('/v2/me/skins', json({ skins: ['0'.repeat(32)], visibility: 'unlisted' }), () => ({})),
  post('/v2/me/skins/delete', json({ skins: ['0'.repeat(32)] })),
  get('/v2/delay'),
  get('/v2/account/me'),
  get('/v2/account/plans'),
  get('/v2/account/doctor'),
  get('/v2/account/keys'),
  get('/v2/account/identities'),
  { route: 'DELETE /v2/account/identities/:id', params: () => ({ id: '0'.repeat(24) }) },
  patch('/v2/account/keys/:id', json({ name: 'second' }), ({ keyId }) => ({ id: keyId })),
  get('/v2/account/capes'),
  post(
    '/v2/account/capes',
    { fields: { alias: 'Red' }, file: { bytes: capePng(1), fileName: 'cape.png' } },
    {
      learn: learnCape,
    },
  ),
  patch('/v2/account/capes/:uuid', json({ alias: 'Blue' }), ({ cape }) => ({ uuid: cape })),
  { route: 'DELETE /v2/account/capes/:uuid', params: ({ cape }) => ({ uuid: cape }) },
  get('/v2/account/accounts'),
  post('/v2/account/accounts', json({ token: 'not-a-token' })),
  post('/v2/account/accounts/logins', json({})),
  get('/v2/account/accounts/logins/:id', { params: () => ({ id: 'none' }) }),
  patch('/v2/account/accounts/:uuid', json({ paused: true }), player),
  { route: 'DELETE /v2/account/accounts/:uuid', params: player },
  post('/v2/account/accounts/:uuid/check', undefined, { params: player }),
  {
    route: 'PUT /v2/account/accounts/:uuid/skin',
    content: json({ skin: '0'.repeat(32) }),
    params: player,
  },
  { route: 'DELETE /v2/account/accounts/:uuid/skin', params: player },
  get('/v2/account/users'),
  get('/v2/account/users/:name', { params: () => ({ name: 'bob' }) }),
  post('/v2/account/users', json({ name: 'eve' })),
  post('/v2/account/users/:name/invitation', undefined, { params: () => ({ name: 'eve' }) }),
  { route: 'DELETE /v2/account/users/:name/invitation', params: () => ({ name: 'eve' }) },
  patch('/v2/account/users/:name', json({ disabled: true }), () => ({ name: 'eve' })),
  post('/generate/upload', file(1)),
  post('/generate/url', json({ url: dataUrl(skinPng(1)) })),
  post('/generate/user', json({ user: PLAYER })),
  get('/generate/user/:uuid', { params: player }),
  get('/get/uuid/:uuid', { params: ofSkin }),
  get('/get/id/:id', { params: () => ({ id: '1' }) }),
  get('/get/delay'),
  get('/get/list'),
  get('/get/list/:page', { params: () => ({ page: '1' }) }),
  get('/get/stats'),
  get('/validate/name/:name', { params: () => ({ name: 'Notch' }) }),
  get('/validate/uuid/:uuid', { params: player }),
  post('/api/profiles/minecraft', json([])),
  get('/textures/:hash', { params: ({ texture }) => ({ hash: texture }) }),
  get('/'),
  get('/health'),
  get('/ready'),
  get('/metrics', { as: 'user' }),
  get('/openapi.json'),
  { route: 'DELETE /v2/account/keys/:id', params: ({ keyId }) => ({ id: keyId }) },
  { route: 'DELETE /v2/sets/:set', params: ofSet },
  { route: 'DELETE /v2/players/:name', params: () => ({ name: 'Steve' }) },
  { route: 'DELETE /v2/skins/:uuid', params: ofSkin },
];

/** The steps above, and before their last ones, which take things away, all other routes that are read. */
export const STORY: readonly Step[] = [...TOLD.slice(0, -3), ...otherReads(), ...TOLD.slice(-3)];

function otherReads(): Step[] {
  const told = new Set(TOLD.map(({ route }) => route));
  return ROUTES.filter(({ method }) => method === 'GET')
    .map(({ paths: [path] }) => get(path, { params: samples(path) }))
    .filter(({ route }) => !told.has(route));
}

/** Values of whatever placeholders an address has. */
function samples(path: string): NonNullable<Step['params']> {
  return ({ skin, texture, job }) => ({
    uuid: path.startsWith('/v2/skins/') ? skin : PLAYER,
    id: skin,
    hash: texture,
    jobId: job,
    user: PLAYER,
    name: 'Notch',
    size: '32',
    set: 'set-one',
    file: 'set-one.zip',
  });
}

export function askOf({ route, params, query = '', content, as }: Step, known: Known): Ask {
  const [method = '', pattern = ''] = route.split(' ');
  const values = params?.(known) ?? {};
  const path = pattern.replaceAll(/:(\w+)(?:\{.*\})?/g, (_, name: string) => values[name] ?? '');
  const key = as === 'nobody' ? undefined : as === 'user' ? known.user : known.owner;
  return {
    method: method as Ask['method'],
    path: path + query,
    ...(content && { content }),
    ...(key !== undefined && { key }),
  };
}

export function learn({ learn: note }: Step, { body }: Told, known: Known): void {
  note?.(body as Body, known);
}
