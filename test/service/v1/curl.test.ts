import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { curl } from '../../support/http/v1/curl.ts';
import { bodyOf, expectOldRefusal, readGenerated, switchedKey } from '../../support/http/v1/old-format.ts';
import { dataUrl, drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';

guardAgainstLeaks();

interface Place {
  /** Address of the service. */
  readonly url: string;
  /** The file of the picture, and the same as a data URL. */
  readonly file: string;
  readonly data: string;
  /** Further options in the query. */
  readonly more: string;
}

type Row = readonly [
  how: string,
  args: (place: Place) => string[],
  expected: { readonly visibility: string; readonly model: string; readonly name?: string },
];

/** Requests as the documentation of version 1 has them, and what of the skin they decide on. */
const ROWS: readonly Row[] = [
  [
    'multipart with visibility=0',
    ({ url, file, more }) => [
      '-F',
      `file=@${file}`,
      '-F',
      'visibility=0',
      '-F',
      'name=Smith',
      `${url}/generate/upload?${more}`,
    ],
    { visibility: 'public', model: 'steve', name: 'Smith' },
  ],
  [
    'multipart with visibility=1 and model=slim',
    ({ url, file, more }) => [
      '-F',
      `file=@${file};type=image/png`,
      '-F',
      'visibility=1',
      '-F',
      'model=slim',
      `${url}/generate/upload?${more}`,
    ],
    { visibility: 'unlisted', model: 'slim' },
  ],
  [
    'JSON with "visibility": 1',
    ({ url, data, more }) => [
      '-H',
      'Content-Type: application/json',
      '-d',
      JSON.stringify({ url: data, visibility: 1, variant: 'slim', name: 'Ann' }),
      `${url}/generate/url?${more}`,
    ],
    { visibility: 'unlisted', model: 'slim', name: 'Ann' },
  ],
  [
    'a form with model=steve',
    ({ url, data, more }) => [
      '--data-urlencode',
      `url=${data}`,
      '-d',
      'model=steve',
      '-d',
      'visibility=0',
      `${url}/generate/url/?${more}`,
    ],
    { visibility: 'public', model: 'steve' },
  ],
  [
    'query options',
    ({ url, file, more }) => [
      '-F',
      `file=@${file}`,
      `${url}/generate/upload?name=&model=slim&visibility=1&${more}`,
    ],
    { visibility: 'unlisted', model: 'slim', name: '' },
  ],
];

/** The switch, as it is set: by nothing, by the address, by the key. */
const SWITCHES = [
  ['no switch', '', false, 'v1'],
  ['?v2=true', 'v2=true', false, 'v1-with-v2-compat'],
  ["the key's setting", '', true, 'v1-with-v2-compat'],
] as const;

/** A picture of its own for each number. */
async function placeFor({ url }: ServerUnderTest, more: string, number: number): Promise<Place> {
  const file = join(await ownFolder(), 'skin.png');
  await writeFile(file, skinPng(number));
  return { url, file, data: dataUrl(skinPng(number)), more };
}

describe.each(SWITCHES)('curl with %s', (_, more, setting, version) => {
  test('gets the old format, however it asks', async () => {
    const server = await runServer();
    const key = setting ? await switchedKey(server) : server.key;
    for (const [number, [how, args, { visibility, ...expected }]] of ROWS.entries()) {
      const place = await placeFor(server, more, number);
      const heard = await curl('-H', `Authorization: Bearer ${key}`, ...args(place));
      const { warnings, ...made } = readGenerated(heard);
      expect(made, how).toMatchObject({ hash: pixelHash(drawSkin(number)), duplicate: false, ...expected });
      expect(warnings.map(({ code }) => code)).toContain('deprecated');
      expect(heard.headers['mineskin-api-version'], how).toBe(version);
      const { skin } = (await server.owner.get(`/v2/skins/${made.uuid}`)).body;
      expect([skin?.visibility, skin?.variant], how).toEqual([visibility, made.variant]);
    }
  });
});

describe('curl', () => {
  test('gets a skin back by its UUID and by its number', async () => {
    const server = await runServer();
    const { url, file } = await placeFor(server, '', 1);
    const made = readGenerated(await curl('-F', `file=@${file}`, `${url}/generate/upload`));
    for (const path of [`uuid/${made.uuid}`, `id/${made.id}`]) {
      const heard = await curl(`${url}/get/${path}`);
      expect(bodyOf(heard)).toMatchObject({ uuid: made.uuid, data: made.data });
    }
  });

  test('is refused in the old format', async () => {
    const { url } = await runServer();
    const answer = await curl('-H', 'Content-Type: application/json', '-d', '{"url":', `${url}/generate/url`);
    expectOldRefusal(answer, 'invalid_request');
  });
});
