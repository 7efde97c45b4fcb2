import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { findOwnSkin } from '../../../../src/server/store/skins.ts';
import { newJob } from '../../../contract/jobs.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { sentStatements } from '../../../support/postgres/sent-statements.ts';

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
