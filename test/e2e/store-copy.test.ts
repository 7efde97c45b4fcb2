import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownDatabase } from '../support/postgres/own-database.ts';
import { dumpText, pgRestoreFolder } from '../support/postgres/pg-restore.ts';
import { freshMachine } from '../support/program/program.ts';
import { ownFolder } from '../support/server/own-folder.ts';

describe('With PostgreSQL', () => {
  test('store copy moves the data of this machine to a database and back, and says how much that is', async () => {
    const machine = await freshMachine();
    await machine.run(['generate', 'examples/smith.png', '--name', 'Smith']);
    const listed = await machine.run(['skins', 'list', '--json']);
    expect(listed.stdout).toContain('Smith');
    const database = await ownDatabase();
    const there = await machine.run(['store', 'copy', machine.dataDir, database, '--json']);
    const { tables, ...view } = JSON.parse(there.stdout);
    const shown = database.replace('postgres@', '');
    expect([there.exitCode, view]).toEqual([0, { from: machine.dataDir, to: shown, resumed: false }]);
    expect(tables).toContainEqual({
      table: 'skins',
      rows: 1,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });

    const folder = await ownFolder();
    const back = await machine.run(['store', 'copy', database, folder]);
    expect([back.exitCode, back.stdout]).toEqual([0, '']);
    expect(back.stderr).toContain(`${folder} has all of ${shown}: `);
    await writeFile(
      join(folder, 'signing-key.pem'),
      await readFile(join(machine.dataDir, 'signing-key.pem')),
    );
    const again = await machine.run(['skins', 'list', '--json'], { env: { SKINSMITH_DATA_DIR: folder } });
    expect(again.stdout).toBe(listed.stdout);

    const full = await machine.run(['store', 'copy', machine.dataDir, folder, '--json']);
    expect([full.exitCode, JSON.parse(full.stderr).error.code]).toEqual([1, 'store_not_empty']);
  });

  test('backup says how a store in PostgreSQL is backed up, and what a dump of it is', async () => {
    const machine = await freshMachine();
    const file = join(machine.folder, 'it.dump');
    const elsewhere = await machine.run(['backup', '--out', file, '--json'], {
      env: { SKINSMITH_STORE: 'postgres://ann:secret@db/skins' },
    });
    expect([elsewhere.exitCode, JSON.parse(elsewhere.stderr).error]).toEqual([
      1,
      expect.objectContaining({ code: 'backup_elsewhere', hint: expect.stringContaining('pg_dump') }),
    ]);
    expect(elsewhere.stderr).not.toContain('secret');
    const tables = ['api_keys', 'callers', 'jobs', 'meta', 'skins', 'texture_data', 'textures', 'users'];
    await writeFile(file, dumpText({ filled: tables, meta: 'schema\t24' }));
    const env = { PATH: await pgRestoreFolder() };
    const dump = await machine.run(['backup', '--verify', file], { env });
    expect([dump.exitCode, dump.stdout]).toEqual([0, expect.stringContaining('schema 24; pg_restore')]);
    const told = await machine.run(['backup', '--verify', file, '--json'], { env });
    expect(JSON.parse(told.stdout)).toEqual({ file, schema: 24, proven: false });
    await writeFile(file, dumpText({ filled: tables }).slice(0, -1));
    const cut = await machine.run(['backup', '--verify', file], { env });
    expect([cut.exitCode, cut.stderr]).toEqual([
      1,
      expect.stringContaining('is damaged. pg_restore reports'),
    ]);
    const restored = await machine.run(['restore', file, '--data', join(machine.folder, 'new')]);
    expect([restored.exitCode, restored.stderr]).toEqual([
      1,
      expect.stringContaining(`backup --verify ${file}`),
    ]);
    await writeFile(file, '--\n-- PostgreSQL database dump\n--\n');
    const plain = await machine.run(['backup', '--verify', file]);
    expect([plain.exitCode, plain.stderr]).toEqual([1, expect.stringContaining('Restore it with psql')]);
  });
});
