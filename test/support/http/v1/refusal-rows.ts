import type { ErrorCode } from '../../../../src/protocol/errors.ts';
import { dataUrl, skinPng } from '../../server/drawn-skins.ts';
import type { Heard } from '../../server/test-caller.ts';
import { damagedPng, PNG, PNG_FILE, resizedPng, type Send } from '../sending.ts';

type Cell = readonly [code: ErrorCode, when: string, send: Send, status?: number];

const json =
  (kind: string, content: unknown): Send =>
  ({ owner }) =>
    owner.json(`/generate/${kind}`, content);

const upload =
  (png: Uint8Array, fields: Record<string, string> = {}): Send =>
  ({ owner }) =>
    owner.upload('/generate/upload', png, fields);

const raw =
  (contentType: string, body: string | Buffer): Send =>
  ({ owner }) =>
    owner.send('POST', '/generate/upload', { body, headers: { 'content-type': contentType } });

const form =
  (...parts: [name: string, content: string | Blob][]): Send =>
  ({ owner }) => {
    const all = new FormData();
    for (const [name, content] of parts)
      if (typeof content === 'string') all.append(name, content);
      else all.append(name, content, 'a.png');
    return owner.form('/generate/upload', all);
  };

const get =
  (path: string): Send =>
  ({ owner }) =>
    owner.get(path);

const withKey =
  (authorization: string): Send =>
  ({ owner }): Promise<Heard> =>
    owner.get('/get/delay', { authorization });

const URL_OF_PNG = dataUrl(skinPng(1));
const NOBODY = '0'.repeat(32);
const OFFLINE = 'b50ad385829d3141a2167e7d7539ba7f';

const CELLS: readonly Cell[] = [
  ['missing_file', 'an upload has no file', form(['visibility', '0'])],
  ['missing_file', 'an upload comes as JSON', json('upload', { url: URL_OF_PNG })],
  ['invalid_file', 'the file has no file name', form(['file', 'text'])],
  ['invalid_file', 'the file is huge', upload(Buffer.alloc(300 * 1024)), 413],
  ['invalid_file', 'the JSON is huge', json('url', { url: 'a'.repeat(200 * 1024) }), 413],
  ['invalid_image', 'the picture is damaged', upload(damagedPng())],
  ['invalid_image', 'the picture is HD', upload(resizedPng(512, 256))],
  ['invalid_request', 'there are two files', form(['file', PNG_FILE], ['file', PNG_FILE])],
  ['invalid_request', 'the multipart is malformed', raw('multipart/form-data; boundary=b', '--b\r\nnothing')],
  ['invalid_request', 'the JSON is malformed', raw('application/json', '{"url":')],
  ['invalid_request', 'the JSON is a list', json('url', ['a'])],
  ['invalid_request', 'there is no url', json('url', { name: 'Smith' })],
  ['invalid_request', 'there is no player', json('user', { url: URL_OF_PNG })],
  ['invalid_content_type', 'the body is plain text', raw('text/plain', 'hello')],
  ['invalid_content_type', 'the body is a bare PNG', raw('image/png', PNG)],
  ['invalid_image_url', 'the url leads to a private address', json('url', { url: 'http://127.0.0.1/a.png' })],
  ['invalid_image_url', 'the url is none', json('url', { url: 'nowhere' })],
  ['invalid_user', 'the player is of a server in offline mode', json('user', { uuid: OFFLINE })],
  ['invalid_user', 'the player is neither a UUID nor a name', json('user', { user: 'Notch!' })],
  ['validation_error', 'the url is no text', json('url', { url: { href: 'x' } })],
  ['validation_error', 'the model is no text', json('url', { url: URL_OF_PNG, model: ['slim'] })],
  ['validation_error', 'a private skin is wanted', upload(PNG, { visibility: 'private' })],
  [
    'validation_error',
    'the visibility is no text and no number',
    json('url', { url: URL_OF_PNG, visibility: [1] }),
  ],
  [
    'validation_error',
    'a private skin is wanted in the query',
    ({ owner }) => owner.upload('/generate/upload?visibility=private', PNG),
  ],
  ['no_duplicate', 'only existing data is wanted', upload(PNG, { checkOnly: 'true' })],
  ['invalid_api_key', 'the key is unknown', withKey(`Bearer sksm_${'0'.repeat(64)}`)],
  ['invalid_api_key', 'the key is short', withKey('Bearer short')],
  ['validation_error', 'a UUID is none', get('/get/uuid/none')],
  ['validation_error', 'a number is none', get('/get/id/one')],
  ['validation_error', 'a number is not whole', get('/get/id/1.5')],
  ['skin_not_found', "a UUID is nobody's", get(`/get/uuid/${NOBODY}`)],
  ['skin_not_found', "a number is nobody's", get('/get/id/12345')],
  ['not_found', 'there is no such way to generate', json('banana', {})],
  ['not_found', 'there is nothing of that kind to get', get('/get/banana/1')],
  ['not_found', 'nothing is asked for', get('/get')],
  ['not_found', 'the method is another', get('/generate/upload')],
  ['invalid_request', 'the address is malformed', get('/get/uuid/%zz')],
];

/** Requests of version 1 to a service that has just started, and the code each is refused with. */
export const REFUSAL_ROWS = CELLS.map(([code, when, send, status]) => ({ code, when, send, status }));
