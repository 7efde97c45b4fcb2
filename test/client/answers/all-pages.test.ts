import { expect, test } from 'vitest';
import { allPages } from '../../../src/client/answers.ts';

/** The entries of pages of which each says which one is next. */
async function entriesOf(nexts: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  const read = async (after = 'start') => ({ next: nexts[after], after });
  const entries: string[] = [];
  for await (const entry of allPages(read, ({ after }) => [after])) entries.push(entry);
  return entries;
}

test('All pages are read in their order', async () => {
  expect(await entriesOf({ start: 'a', a: 'b', b: undefined })).toEqual(['start', 'a', 'b']);
});

test('A page that names itself as the next one is the last', async () => {
  expect(await entriesOf({ start: 'a', a: 'a' })).toEqual(['start', 'a']);
});

test('A page that leads back to an earlier one is an error', async () => {
  await expect(entriesOf({ start: 'a', a: 'b', b: 'c', c: 'a' })).rejects.toMatchObject({
    code: 'unreadable_answer',
    message: 'The next page of the list is one that the service has sent before.',
  });
});
