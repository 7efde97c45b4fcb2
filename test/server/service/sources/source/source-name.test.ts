import { expect, test } from 'vitest';
import { nameOfSource, type Source } from '../../../../../src/server/service/sources/source.ts';

const file = (fileName: string | undefined): Source => ({
  kind: 'upload',
  bytes: new Uint8Array(),
  fileName,
});
const url = (address: string): Source => ({ kind: 'url', url: address });

test.each<[string, Source, string | undefined]>([
  ['a file by its name', file('smith.png'), 'smith.png'],
  ['a file without its folders', file('C:\\skins/mine/smith.png'), 'smith.png'],
  ['a file without a name', file(undefined), undefined],
  ['a name that would move the cursor', file('a\u001b[2J\u202eb\nc.png'), 'a [2J b c.png'],
  ['a name of nothing but that', file('\u0007\u200b'), undefined],
  ['a player', { kind: 'user', user: 'jeb_' }, 'jeb_'],
  ['an address', url('https://example.com/a/b.png'), 'https://example.com/a/b.png'],
  ['an address without what is secret', url('https://me:pw@example.com/a?sig=1#x'), 'https://example.com/a'],
  ['no picture that is the address itself', url('data:image/png;base64,AAAA'), undefined],
  ['nothing that is no address', url('nowhere'), undefined],
])('Jobs name %s', (_, source, name) => {
  expect(nameOfSource(source)).toBe(name);
});

test('A long name is cut between characters', () => {
  expect(nameOfSource(file('😀'.repeat(200)))).toBe('😀'.repeat(128));
});
