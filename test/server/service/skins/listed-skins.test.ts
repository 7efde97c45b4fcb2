import { expect, test } from 'vitest';
import type { Caller } from '../../../../src/server/service/callers.ts';
import { findListedSkins } from '../../../../src/server/service/skins/listed-skins.ts';
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
