import { expect, test } from 'vitest';
import { systemResolve } from '../../../../src/server/outbound/guarded-agent.ts';

type Answer = readonly string[] | string;

/** A name server that answers with addresses, or with the code of an error. */
function resolverOf({ four, six }: { readonly four: Answer; readonly six: Answer }) {
  const answer = async (found: Answer) => {
    if (typeof found === 'string') throw Object.assign(new Error(found), { code: found });
    return [...found];
  };
  return { resolve4: async () => await answer(four), resolve6: async () => await answer(six) } as never;
}

test.each<[Answer, Answer, readonly string[]]>([
  [['192.0.2.1'], ['2001:db8::1'], ['192.0.2.1', '2001:db8::1']],
  [['192.0.2.1'], 'ENODATA', ['192.0.2.1']],
  ['ETIMEOUT', ['2001:db8::1'], ['2001:db8::1']],
  ['ENOTFOUND', 'ENODATA', []],
  ['EBADNAME', 'EBADNAME', []],
])('All addresses of %o and %o are used', async (four, six, found) => {
  expect(await systemResolve(resolverOf({ four, six }))('skins.example')).toEqual(found);
});

test.each<[Answer, Answer]>([
  ['ESERVFAIL', 'ESERVFAIL'],
  ['ENODATA', 'ETIMEOUT'],
  ['ECONNREFUSED', 'ENOTFOUND'],
])('With %o and %o it is unknown whether the host exists', async (four, six) => {
  const resolved = systemResolve(resolverOf({ four, six }))('skins.example');
  await expect(resolved).rejects.toMatchObject({
    code: expect.stringMatching(/^E(SERVFAIL|TIMEOUT|CONNREFUSED)$/),
  });
});

test('A name for this machine is never looked up', async () => {
  const resolve = systemResolve(resolverOf({ four: 'ESERVFAIL', six: 'ESERVFAIL' }));
  expect(await resolve('a.localhost')).toEqual(['127.0.0.1', '::1']);
});
