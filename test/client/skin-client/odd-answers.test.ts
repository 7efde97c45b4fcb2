import { describe, expect, test } from 'vitest';
import { makeSkin } from '../../support/client/answers.ts';
import { testClient } from '../../support/client/test-client.ts';

const skin = makeSkin();

/** What is said around a skin, or beside its data, as no contract has it. */
const oddities: [what: string, answer: object][] = [
  ['a note without its fields', { skin, warnings: [{}], messages: [{ code: 7 }] }],
  ['notes that are no list', { skin, warnings: 'deprecated', errors: null }],
  ['a rate limit of another shape', { skin, rateLimit: { next: 'soon' } }],
  ['a link that is null', { skin, links: { job: null, self: '/v2/skins/a' } }],
  ['a name that is null', { skin: { ...skin, name: null } }],
  ['a generator of another shape', { skin: { ...skin, generator: 'v2' } }],
  ['no views and no duplicate', { skin: { ...skin, views: undefined, duplicate: undefined } }],
  ['no envelope', { skin }],
];

describe('A skin that was made is not lost to', () => {
  test.each(oddities)('%s', async (_, json) => {
    const { client } = await testClient([{ expect: 'POST /v2/generate?timeout=30', json }]);
    const made = await client.generate({ url: 'https://a.example/' });
    expect(made.skin.texture.data).toEqual(skin.texture.data);
  });
});
