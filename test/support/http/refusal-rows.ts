import type { ErrorCode } from '../../../src/protocol/errors.ts';
import type { ServerOptions } from '../../../src/server/server.ts';
import { dataUrl } from '../server/drawn-skins.ts';
import {
  authorized,
  damagedPng,
  get,
  PNG,
  PNG_FILE,
  parts,
  post,
  raw,
  resizedPng,
  type Send,
  upload,
} from './sending.ts';

export interface RefusalRow {
  readonly code: ErrorCode;
  /** If it differs from the code's own. */
  readonly status?: number;
  readonly when: string;
  readonly send: Send;
  /** Part of the message. */
  readonly says?: string;
  readonly options?: Partial<ServerOptions>;
}

const NOBODY = '0'.repeat(32);
const URL_OF_PNG = { url: dataUrl(PNG) };
const LONG_URL = `https://example.org/${'a'.repeat(260)}`;
const LONG_DATA_URL = `data:image/png;base64,${'A'.repeat(26_700)}`;

type Cell = [when: string, send: Send, says?: string];

function rows(code: ErrorCode, cells: readonly Cell[], status?: number): RefusalRow[] {
  return cells.map(([when, send, says]) => ({
    code,
    when,
    send,
    ...(says !== undefined && { says }),
    ...(status !== undefined && { status }),
  }));
}

const ABOUT_PICTURES = [
  ...rows('invalid_image', [
    ['the file is no PNG', upload(Buffer.from('GIF89a'.padEnd(40))), 'not a PNG'],
    ['the picture is HD', upload(resizedPng(512, 256)), '512×256'],
    ['the picture has another shape', upload(resizedPng(64, 48)), '64×48'],
    ['the picture is damaged', upload(damagedPng())],
    ['the picture is cut off', upload(PNG.subarray(0, 100)), 'cut off'],
    ['the file has too many bytes', upload(Buffer.concat([PNG, Buffer.alloc(20_000)])), '20000 bytes'],
    ['a data URL holds no PNG', post({ url: 'data:image/png;base64,AAAA' })],
  ]),
  ...rows('invalid_image_url', [
    ['a data URL is of another type', post({ url: 'data:image/gif;base64,AAAA' })],
    ['a data URL is not base64', post({ url: 'data:image/png;base64,!!' }), 'base64'],
    ['a data URL is too long', post({ url: LONG_DATA_URL }), '26668'],
    ['a URL is too long', post({ url: LONG_URL }), '256'],
    ['a URL is of no web', post({ url: 'file:///etc/passwd' })],
    ['a URL is none', post({ url: 'nowhere' })],
  ]),
  ...rows('invalid_user', [['a player is neither a UUID nor a name', post({ user: 'Notch!' })]]),
  ...rows('invalid_file', [
    ['the part has another name', parts(['skin', PNG_FILE]), '"file"'],
    ['the part "file" is a field', parts(['file', 'text']), 'file name'],
    ['the file is empty', parts(['file', new Blob([])]), 'empty'],
  ]),
  ...rows(
    'invalid_file',
    [
      ['the file is huge', upload(Buffer.alloc(300 * 1024))],
      ['the JSON is huge', post({ url: 'a'.repeat(200 * 1024) })],
    ],
    413,
  ),
  ...rows('invalid_image_url', [
    ['a URL leads to a private address', post({ url: 'http://127.0.0.1/skin.png' }), 'loopback'],
  ]),
  ...rows('invalid_user', [
    [
      'a player is of a server in offline mode',
      post({ user: 'b50ad385829d3141a2167e7d7539ba7f' }),
      'offline',
    ],
  ]),
];

const ABOUT_REQUESTS = [
  ...rows('validation_error', [
    ['an option is not one of its words', upload(PNG, { visibility: 'secret' })],
    ['a timeout is too long', post(URL_OF_PNG, '/v2/generate?timeout=31')],
    ['a timeout is too short', post(URL_OF_PNG, '/v2/generate?timeout=0')],
    ['a timeout is no number', post(URL_OF_PNG, '/v2/generate?timeout=x')],
    ['a url is not a text', post({ url: { href: 'x' } })],
    ['a page is too long', get('/v2/skins?size=129')],
    ['a page is half a skin', get('/v2/skins?size=0.5')],
    ['a UUID is none', get('/v2/skins/not-a-uuid')],
    ['a texture hash is none', get('/textures/abc')],
    ['a user name has a slash', post({ user: 'a/b' }, '/v2/account/keys')],
  ]),
  ...rows('missing_file', [['multipart has nothing to generate from', parts(['name', 'Smith'])]]),
  ...rows('unknown_variant', [['the variant is an old word', upload(PNG, { variant: 'steve' })]]),
  ...rows('invalid_cape', [['there is no such cape', upload(PNG, { cape: NOBODY }), NOBODY]]),
  ...rows('invalid_request', [
    ['JSON has nothing to generate from', post({ name: 'Smith' })],
    ['there is no body', ({ owner }) => owner.send('POST', '/v2/generate')],
    ['JSON is a list', post(['a'])],
    ['JSON is malformed', raw('application/json', '{"url":')],
    ['JSON is empty', raw('application/json', '')],
    ['JSON reaches for a prototype', raw('application/json', '{"__proto__":{"a":1}}')],
    ['multipart has no boundary', raw('multipart/form-data', 'x')],
    ['multipart is malformed', raw('multipart/form-data; boundary=b', '--b\r\nnothing')],
    [
      'multipart breaks off',
      raw('multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'),
    ],
    ['there are two files', parts(['file', PNG_FILE], ['file', PNG_FILE])],
    ['there are a file and a URL', parts(['file', PNG_FILE], ['url', dataUrl(PNG)]), 'only one'],
    ['there are a URL and a player', post({ ...URL_OF_PNG, user: NOBODY }), 'only one'],
  ]),
  ...rows('no_duplicate', [
    ['only existing data is wanted (field)', upload(PNG, { checkOnly: 'true' })],
    ['only existing data is wanted (query)', post(URL_OF_PNG, '/v2/queue?checkOnly=1')],
  ]),
  ...rows('invalid_content_type', [
    ['the body is plain text', raw('text/plain', 'hello')],
    ['the body is a bare PNG', raw('image/png', PNG)],
  ]),
];

const ABOUT_CALLERS = [
  ...rows('unauthorized', [
    ['keys are asked for without one', ({ anonymous }) => anonymous().get('/v2/account/keys')],
    ['a key is to be made without one', ({ anonymous }) => anonymous().json('/v2/account/keys', {})],
    ['own skins are asked for without a key', ({ anonymous }) => anonymous().get('/v2/me/skins')],
    ["the caller's keys are asked for without one", ({ anonymous }) => anonymous().get('/v2/me/apikeys')],
    [
      'an anonymous caller wants a private skin',
      ({ anonymous }) => anonymous().upload('/v2/generate', PNG, { visibility: 'private' }),
    ],
  ]),
  ...rows('invalid_api_key', [
    ['the key is unknown', authorized(`Bearer sksm_${'0'.repeat(64)}`)],
    ['the key is short', authorized('Bearer short')],
  ]),
  ...rows('insufficient_grants', [
    [
      'a user wants a key for another',
      async ({ user }) => (await user('bob')).json('/v2/account/keys', { user: 'ann' }),
    ],
    [
      "a user asks for another's keys",
      async ({ user }) => (await user('bob')).get('/v2/account/keys?user=owner'),
    ],
  ]),
  ...rows('user_not_found', [
    ['nobody asks who they are', ({ anonymous }) => anonymous().get('/v2/me')],
    ['the keys of nobody are asked for', get('/v2/account/keys?user=nobody')],
  ]),
  ...rows('not_found', [
    ["the address is nobody's", get('/v3/anything')],
    ['the method is not for the address', ({ owner }) => owner.send('PUT', '/v2/queue')],
    ["the texture is nobody's", get(`/textures/${'0'.repeat(64)}`)],
    ["the key is nobody's", ({ owner }) => owner.send('DELETE', '/v2/account/keys/abc')],
  ]),
  ...rows('job_not_found', [
    ["the job is nobody's", get(`/v2/queue/${NOBODY}`)],
    ['the job id is no UUID', get('/queue/f4c3f4c3f4c3f4c3f4c3f4c3')],
  ]),
  ...rows('skin_not_found', [["the skin is nobody's", get(`/v2/skins/${NOBODY}`)]]),
  ...rows('set_not_found', [['there is no such set', get('/v2/sets/none')]]),
  ...rows('player_not_found', [['the player name shows nothing', get('/v2/players/Nobody')]]),
  ...rows('set_gone', [
    [
      'the set was deleted',
      async ({ owner }) => {
        await owner.json('/v2/sets', { name: 'gone' });
        await owner.send('DELETE', '/v2/sets/gone');
        return await owner.get('/v2/sets/gone');
      },
    ],
  ]),
];

/** Requests to a service that has just started, and the code each is refused with. */
export const REFUSAL_ROWS: readonly RefusalRow[] = [...ABOUT_PICTURES, ...ABOUT_REQUESTS, ...ABOUT_CALLERS];
