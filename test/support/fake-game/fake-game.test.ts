import { describe, expect, onTestFinished, test } from 'vitest';
import { openGame } from '../../../src/game/game.ts';
import { downloadTexture, fetchSignedProfile } from '../../../src/game/profiles.ts';
import { uploadSkin } from '../../../src/game/skins.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { gameErrorOf } from '../game/told.ts';
import { drawSkin, skinPng } from '../server/drawn-skins.ts';
import { poll } from '../server/poll.ts';
import { hurriedIn, overlapsIn, pairsIn, unseenIn } from './call-log.ts';
import type { FaultPlan, RandomFaults } from './faults.ts';
import { callGame } from './run-game.ts';

/** Milliseconds: no caller here waits that long for an answer. */
const PATIENCE = 60_000;

const skin = (number: number) => ({ png: skinPng(number), variant: 'classic' }) as const;

/** What the session server shows of an account that was changed while this happened. */
async function shownAfter(fault: FaultPlan) {
  const { fake, game } = await callGame({ accounts: 1 });
  const { id, token } = fake.accounts[0]!;
  fake.order({ fault });
  const { url } = await uploadSkin(game.http, token, skin(1));
  const { textures } = await fetchSignedProfile(game.http, id);
  const { picture } = await downloadTexture(game.http, textures.skin!.url);
  return { isSame: textures.skin!.url === url, pixels: pixelHash(picture) };
}

describe('A change of skin', () => {
  test('shows the picture that was sent if nothing goes wrong', async () => {
    const slow = { kind: 'slow', ms: 1 } as const;
    expect(await shownAfter(slow)).toEqual({ isSame: true, pixels: pixelHash(drawSkin(1)) });
  });

  test('shows another picture if someone else uses the account meanwhile', async () => {
    const { isSame, pixels } = await shownAfter({ kind: 'foreign' });
    expect([isSame, pixels === pixelHash(drawSkin(1))]).toEqual([false, false]);
  });

  test('may be stored with other pixels', async () => {
    const { isSame, pixels } = await shownAfter({ kind: 'altered' });
    expect([isSame, pixels === pixelHash(drawSkin(1))]).toEqual([true, false]);
  });

  test.each(['broken', 'cut', 'hangs'] as const)(
    'may take effect although its answer is lost: %s',
    async (kind) => {
      const { fake, game } = await callGame({ accounts: 1 });
      const [account] = fake.accounts;
      fake.order({ fault: { kind, isDone: true } });
      const hasty = openGame({ addresses: fake.addresses, ...(kind === 'hangs' && { timeout: 100 }) });
      onTestFinished(async () => await hasty.close());
      expect((await gameErrorOf(uploadSkin(hasty.http, account!.token, skin(1)))).kind).toBe('unreachable');
      await poll(
        () => fake.changes(),
        (changes) => changes.length > 0,
      );
      const { textures } = await fetchSignedProfile(game.http, account!.id);
      expect(textures.skin?.url).toContain(fake.textures.keep(drawSkin(1)));
      expect(fake.changes()[0]).toMatchObject({ fault: kind, texture: account!.look.skin!.hash });
    },
  );
});

describe('A requested fault', () => {
  test('applies to one account and one kind of call, a given number of times', async () => {
    const { fake, game } = await callGame({ accounts: 2 });
    const [first, second] = fake.accounts;
    fake.order({ fault: { kind: 'broken' }, account: second!.id, times: 2 });
    fake.order({ fault: { kind: 'forbidden', body: 'empty' }, on: ['profile'], account: second!.id });
    await uploadSkin(game.http, first!.token, skin(1));
    await fetchSignedProfile(game.http, first!.id);
    const outcomes = [];
    for (let time = 0; time < 3; time++) {
      outcomes.push(
        await uploadSkin(game.http, second!.token, skin(1)).then(
          () => 200,
          ({ status }) => status,
        ),
      );
    }
    expect(outcomes).toEqual([503, 503, 200]);
    expect((await gameErrorOf(fetchSignedProfile(game.http, second!.id))).kind).toBe('forbidden');
  });
});

const bad: RandomFaults = {
  seed: 7,
  faults: [
    { fault: { kind: 'limited', body: 'html' }, chance: 0.2 },
    { fault: { kind: 'broken', body: 'empty' }, chance: 0.3 },
  ],
};

describe('Random faults', () => {
  test('are the same for the same seed, and differ for another', async () => {
    const strike = async (randomFaults: RandomFaults) => {
      const { fake, game } = await callGame(
        { accounts: 1, randomFaults },
        { rules: { account: { burst: 99, interval: 1 } } },
      );
      const { token } = fake.accounts[0]!;
      for (let number = 0; number < 25; number++)
        await uploadSkin(game.http, token, skin(number)).catch(() => {});
      return fake.changes().map(({ fault, status }) => `${fault} ${status}`);
    };
    const struck = await strike(bad);
    expect(new Set(struck)).toEqual(new Set(['undefined 200', 'limited 429', 'broken 503']));
    expect(await strike(bad)).toEqual(struck);
    expect(await strike({ ...bad, seed: 8 })).not.toEqual(struck);
  });
});

describe('The log', () => {
  test('finds changes of one account that came at the same time, too soon, or before the last one was seen', async () => {
    const { fake, game } = await callGame({ accounts: 2, changeTime: 50 });
    const [first, second] = fake.accounts;
    const change = (account = first!, number = 1) => uploadSkin(game.http, account.token, skin(number));
    await Promise.all([change(first, 1), change(second, 2)]);
    await fetchSignedProfile(game.http, first!.id);
    await change(first, 3);
    expect([overlapsIn(fake.calls, PATIENCE), unseenIn(fake.calls)]).toEqual([[], []]);
    expect(hurriedIn(fake.calls, 50)).toEqual([]);
    expect(hurriedIn(fake.calls, 60_000)).toMatchObject([{ account: first!.id }]);
    await Promise.all([change(second, 4), change(second, 5)]);
    expect(pairsIn(fake.calls)).toHaveLength(3);
    expect(overlapsIn(fake.calls, PATIENCE)).toMatchObject([
      { account: second!.id, before: { status: 200 } },
    ]);
    expect(unseenIn(fake.calls)).toHaveLength(2);
  });
});
