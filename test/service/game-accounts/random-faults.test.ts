import { expect, test } from 'vitest';
import { listAccounts } from '../../../src/server/store/accounts.ts';
import type { TextureDataRow } from '../../../src/server/store/schema/tables.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { parseTexturesValue } from '../../../src/textures/property.ts';
import { isSignedBy, parsePublicKey } from '../../../src/textures/signing-key.ts';
import { hurriedIn, overlapsIn } from '../../support/fake-game/call-log.ts';
import type { FakeGame } from '../../support/fake-game/fake-game.ts';
import type { RandomFaults } from '../../support/fake-game/faults.ts';
import { FAST_GAME, runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { plansFile } from '../../support/server/plans.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore } from '../../support/server/running-server.ts';
import { runSecondProcess } from '../../support/server/second-process.ts';
import { TestCaller } from '../../support/server/test-caller.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

/** Of fewer skins, a few lost ones are a larger share. */
const { SKINS, RIGHT } = isWhole ? { SKINS: 200, RIGHT: 0.9 } : { SKINS: 40, RIGHT: 0.8 };
const DELAY = 30;
/** Milliseconds that the game has for an answer. */
const PATIENCE = 2_000;
const REASONS = ['skin_change_failed', 'invalid_skin_data', 'invalid_image', 'service_unavailable'];

/** Everything that the game is known to do, on one bad day. */
const FAULTS: RandomFaults = {
  seed: 2026,
  faults: [
    { fault: { kind: 'limited', body: 'html' }, chance: 0.01 },
    { fault: { kind: 'limited', body: 'empty', retryAfter: 1 }, chance: 0.005 },
    { fault: { kind: 'unauthorized' }, chance: 0.02 },
    { fault: { kind: 'forbidden', body: 'html' }, chance: 0.01 },
    { fault: { kind: 'bad_image' }, chance: 0.01 },
    { fault: { kind: 'broken', isDone: true }, chance: 0.01 },
    { fault: { kind: 'broken' }, on: ['profile', 'texture', 'token', 'login'], chance: 0.02 },
    { fault: { kind: 'cut', isDone: true }, chance: 0.01 },
    { fault: { kind: 'hangs' }, chance: 0.005 },
    { fault: { kind: 'slow', ms: 60 }, chance: 0.02 },
    { fault: { kind: 'garbled' }, chance: 0.01 },
    { fault: { kind: 'stale', reads: 1 }, chance: 0.04 },
    { fault: { kind: 'stale', reads: 9 }, chance: 0.01 },
    { fault: { kind: 'foreign' }, chance: 0.02 },
    { fault: { kind: 'altered' }, chance: 0.01 },
    { fault: { kind: 'forged' }, chance: 0.01 },
  ],
};

function isRight(fake: FakeGame, hash: string, data: TextureDataRow): boolean {
  const { skin, profileId } = parseTexturesValue(data.value);
  const file = fake.textures.file(skin?.url.split('/').at(-1) ?? '');
  return (
    isSignedBy(parsePublicKey(fake.publicKey), data.value, data.signature) &&
    file !== undefined &&
    pixelHash(decodePng(file)) === hash &&
    skin?.variant === 'classic' &&
    profileId === data.account
  );
}

test('When Mojang has a bad day, all skins of two services with five accounts are right, or fail for a reason', async () => {
  const rules = { delay: DELAY, coolDown: 300, looks: [1, 10, 20, 20] };
  const plans = await plansFile({ owner: { queue: SKINS, concurrency: 100 } });
  const options = { plansFile: plans, accountRules: rules, game: { ...FAST_GAME, timeout: PATIENCE } };
  const { fake, server, link } = await runAccountServer(options);
  const accounts = Array.from({ length: 5 }, () => fake.addAccount());
  for (const [n, account] of accounts.entries()) await link(account, n === 3 ? 'game' : 'refresh');
  const { url } = await runSecondProcess(fake, { dataDir: server.dataDir, ...options });
  const second = new TestCaller(url, { key: server.key, dataDir: server.dataDir });

  fake.randomFaults = FAULTS;
  for (let n = 0; n < SKINS; n += 20) {
    if (n === SKINS / 2) fake.order({ fault: { kind: 'suspended' }, account: accounts[4]!.id });
    const batch = Array.from({ length: 20 }, (_, at) => n + at);
    const heard = await Promise.all(
      batch.map((skin) => [server.owner, second][skin % 2]!.upload('/v2/queue', skinPng(skin))),
    );
    expect(heard.map(({ status }) => status)).toEqual(batch.map(() => 202));
  }
  const { db } = await openOwnStore(server.dataDir);
  const jobs = await poll(
    () => db.selectFrom('jobs').selectAll().execute(),
    (all) => all.every(({ status }) => status === 'completed' || status === 'failed'),
  );
  const all = await db.selectFrom('texture_data').selectAll().execute();
  const data = new Map(all.map((row) => [row.identity, row]));
  const completed = jobs.filter(({ status }) => status === 'completed');
  const wrong = completed.filter((job) => !isRight(fake, job.texture_hash, data.get(job.identity)!));
  expect(wrong).toEqual([]);
  const failed = jobs.filter(({ status }) => status === 'failed');
  expect(failed.filter((job) => !REASONS.includes(job.error_code ?? '') || !job.error_message)).toEqual([]);
  expect([jobs.length, completed.length > SKINS * RIGHT]).toEqual([SKINS, true]);

  expect(overlapsIn(fake.calls, PATIENCE)).toEqual([]);
  expect(hurriedIn(fake.calls, DELAY)).toEqual([]);
  const rows = await listAccounts(db);
  expect(rows.map(({ lease_owner }) => lease_owner)).toEqual(rows.map(() => null));
  expect(rows.find(({ uuid }) => uuid === accounts[4]!.id)?.state).toBe('suspended');
  // The one without a refresh token may be lost before its first skin.
  expect(new Set(all.map(({ account }) => account)).size).toBeGreaterThanOrEqual(4);
});
