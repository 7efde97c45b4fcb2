import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { similarSkins } from '../../../../src/server/store/similar-skins.ts';
import { findOwnSkin } from '../../../../src/server/store/skins.ts';
import { newJob } from '../../../contract/jobs.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { sentStatements } from '../../../support/postgres/sent-statements.ts';
import { keepData, record } from '../../../support/server/skin-records.ts';

test('PostgreSQL looks for the record of a known skin in an index before it knows how large the table is', async () => {
  const url = await ownDatabase();
  const [db, client] = [await openPostgresDb(url), new Client({ connectionString: url })];
  onTestFinished(async () => void (await Promise.all([db.destroy(), client.end()])));
  await client.connect();
  const sent = sentStatements();
  await findOwnSkin(db, newJob());
  const { text, values } = sent.find((one) => one.text.includes('"skins"'))!;
  const { rows } = await client.query(`explain ${text}`, [...values]);
  const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  expect(plan).toMatch(/Index Scan using skins_by_(?:owner|identity) on skins/);
  expect(plan).not.toContain('Seq Scan on skins');
});

test('PostgreSQL looks for similar pictures in indices before it knows how large the table is', async () => {
  const url = await ownDatabase();
  const [db, client] = [await openPostgresDb(url), new Client({ connectionString: url })];
  onTestFinished(async () => void (await Promise.all([db.destroy(), client.end()])));
  await client.connect();
  await keepData(db, 'face');
  const skin = await record(db);
  await client.query(
    `insert into textures (hash, width, height, png, created_at)
      select lpad(n::text, 64, '0'), 64, 64, repeat('x', 500)::bytea, 0 from generate_series(1, 5000) n`,
  );
  const sent = sentStatements();
  await similarSkins(db, skin, { viewer: 'bob', size: 6 });
  const near = sent.filter(({ text }) => text.includes('as "near"'));
  expect(near).toHaveLength(15);
  for (const { text, values } of near) {
    const { rows } = await client.query(`explain ${text}`, [...values]);
    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    expect(plan).toMatch(/textures_by_(?:head|body|light)/);
    expect(plan).not.toContain('Seq Scan');
    expect(plan).toContain('skins_by_identity');
  }
});
