import { expect, onTestFinished, test, vi } from 'vitest';
import type { Caller } from '../../../../src/server/service/callers.ts';
import { findListedSkins, readSkinList } from '../../../../src/server/service/skins/listed-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { hashOfData, keepData, record } from '../../../support/server/skin-records.ts';
import { Statements } from '../../../support/server/statements.ts';

const ORIGIN = 'https://skins.example.org';
const ANN = { kind: 'user', owner: 'ann', id: 'ann', name: 'ann', isOperator: false } as unknown as Caller;

test('A list that gives an address in many lines looks it up once', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  const { uuid } = await record(db, { owner: 'bob' });
  const statements = new Statements();
  const find = async (lines: number) => {
    const source = `${ORIGIN}/textures/${hashOfData('face')}`;
    const listed = Array.from({ length: lines }, (_, at) => ({ line: at + 1, values: { source } }));
    statements.take();
    const { skins } = await findListedSkins({ db, ownAddresses: () => [ORIGIN] }, ANN, listed);
    expect(skins).toEqual([uuid]);
    return statements.take().length;
  };
  expect(await find(100)).toBe(await find(1));
});

/** Lists that are refused, why, and how many of their lines are parsed as JSON before that. */
const TOO_MUCH: [what: string, list: string, why: string, parsed: number][] = [
  ['a million braces', '{\n'.repeat(1_000_000), 'more than 10000 lines', 0],
  ['a million blank lines', '\n'.repeat(2_000_000), 'more than 10000 lines', 0],
  ['many lines of a lockfile', '{"uuid":"a"}\n'.repeat(5_000), 'more than 500 lines', 501],
  ['one line of a million brackets', `{"a":${'['.repeat(1_000_000)}`, 'Line 1 of the list has', 0],
  ['one header of a million columns', `uuid${',a'.repeat(1_000_000)}`, 'Line 1 of the list has', 0],
  ['a million rows of CSV', `uuid\n${'a\n'.repeat(1_000_000)}`, 'more than 10000 lines', 0],
  // What comes after the last row that counts is not read, so it may be invalid.
  ['many rows of CSV', `uuid\n${'a\n'.repeat(5_000)}"`, 'more than 500 lines', 0],
  ['a cell of many lines', `uuid\n"${'a\n'.repeat(9_000)}`, 'Max Record Size', 0],
];

test.each(TOO_MUCH)('A list is refused before all of it is parsed: %s', async (_, list, why, most) => {
  const parsed = vi.spyOn(JSON, 'parse');
  onTestFinished(() => void vi.restoreAllMocks());
  const message = expect.stringContaining(why);
  await expect(readSkinList(Buffer.from(list))).rejects.toMatchObject({ code: 'invalid_request', message });
  const lines = parsed.mock.calls.filter(([text]) => text === '{' || text.startsWith('{"uuid"'));
  expect(lines.length).toBe(most);
});
