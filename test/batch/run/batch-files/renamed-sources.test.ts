import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Lockfile } from '../../../../src/batch/lockfile/lockfile.ts';
import { Coverage, type Member } from '../../../../src/batch/model.ts';
import type { BatchOptions, LockfileOutcome } from '../../../../src/batch/options.ts';
import { LockfileChanges, type OpenBatch, saveFiles } from '../../../../src/batch/run/batch-files.ts';
import { watchSteps } from '../../../support/base/file-steps.ts';
import { lockEntry, textOf, valueFor } from '../../../support/batch/lock-entry.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const NEW = { id: 'https://a.example/new.png', stem: 'new', pixels: undefined } as Member;

/** An entry of a row of the list, with its output in two forms. */
function entryFor(name: string) {
  const source = `https://a.example/${name}.png`;
  const outputs = [{ name, files: [`${name}.json`, `${name}.txt`] }];
  return lockEntry({ source, value: valueFor(source), record: { list: 'list.csv', outputs } });
}

/** The end of a run over a list in which a row has another source, another is gone, and a third has stayed. */
async function afterEdits() {
  const folder = await ownFolder();
  const [kept, old, gone] = ['kept', 'old', 'gone'].map(entryFor) as [
    ReturnType<typeof entryFor>,
    ReturnType<typeof entryFor>,
    ReturnType<typeof entryFor>,
  ];
  const path = join(folder, 'skins.lock');
  writeFileSync(path, textOf([gone, kept, old]));
  for (const { source, value, record } of [kept, old, gone])
    for (const file of record?.outputs?.[0]?.files ?? [])
      writeFileSync(join(folder, file), `${source} ${value}`);
  writeFileSync(join(folder, 'new.txt'), old.value); // this run writes one of the forms
  return { folder, save: async () => await save(path) };
}

async function save(path: string): Promise<LockfileOutcome | undefined> {
  const lockfile = await Lockfile.open(path);
  try {
    const changes = new LockfileChanges();
    for (const name of ['kept', 'new'])
      changes.addSource({ id: `https://a.example/${name}.png`, stem: name });
    const [entry] = lockfile.entriesOf('https://a.example/old.png');
    if (entry !== undefined) {
      changes.add(NEW, { key: lockfile.workOf(entry), entry, moved: true });
      changes.addRecord(NEW, 'list.csv', ['new.txt']);
    }
    const coverage = new Coverage();
    coverage.addList(join(path, '../list.csv'));
    const options = { prune: true, coverage, lockfile: path, outputs: { hasForm: () => true } };
    const files = { lockfile, digests: { save: () => {} } } as unknown as OpenBatch;
    const end = { changes, isOver: true, isWhole: true, failed: 0, hasReadAll: true };
    return saveFiles(options as unknown as BatchOptions, files, end);
  } finally {
    lockfile.close();
  }
}

const contentsOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

test('The outputs of a renamed source move, and the outputs of a source that is gone are deleted', async () => {
  const { folder, save } = await afterEdits();
  expect(await save()).toMatchObject({
    dropped: 1,
    gone: [{ id: 'https://a.example/gone.png' }],
    renamed: [{ to: NEW.id, outputs: [{ to: join(folder, 'new.json') }, { from: join(folder, 'old.txt') }] }],
  });
  const names = ['kept.json', 'kept.txt', 'new.json', 'new.txt', 'skins.lock'];
  expect(readdirSync(folder).toSorted()).toEqual(names);
  const lines = readFileSync(join(folder, 'skins.lock'), 'utf8').trim().split('\n');
  const records = lines.map((line) => JSON.parse(line)).map(({ source, record }) => [source, record.outputs]);
  expect(records).toEqual([
    ['https://a.example/kept.png', [{ name: 'kept', files: ['kept.json', 'kept.txt'] }]],
    [NEW.id, [{ name: 'new', files: ['new.json', 'new.txt'] }]],
  ]);
});

test('Whatever step fails, another run ends with the same files', async () => {
  const whole = await afterEdits();
  const { steps, unwatch } = watchSteps(whole.folder);
  await whole.save();
  unwatch();
  const [after, count] = [contentsOf(whole.folder), steps.length];
  expect(steps.map(({ act }) => act)).toEqual(expect.arrayContaining(['remove', 'rename', 'write']));
  for (let failing = 1; failing <= count; failing++) {
    const { folder, save } = await afterEdits();
    const { unwatch } = watchSteps(folder, (number) => {
      if (number === failing) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    await save().catch(() => {});
    unwatch();
    await save();
    expect(contentsOf(folder), `${steps[failing - 1]?.act} ${failing}`).toEqual(after);
  }
});
