import { expect, test } from 'vitest';
import { generated, LIMITS, newJob } from '../../../../contract/jobs.ts';
import { mustClaim } from '../../../../contract/queue-steps.ts';
import { elsewhere, follower, type Read, world } from '../../../../support/jobs/followed-jobs.ts';
import { poll } from '../../../../support/server/poll.ts';

/** Ten owners that follow their jobs, one of which is pending each; whatever another process did before was seen. */
async function followedByMany({ stops = false } = {}) {
  const all = await world();
  const { feeds, store, signals, reads } = all;
  const owners = Array.from({ length: 10 }, (_, n) => `owner${n}`);
  const followers = owners.map(() => follower());
  const stopAll: (() => void)[] = [];
  for (const [n, owner] of owners.entries()) {
    await store.submit(newJob({ request: `old${n}`, owner }), LIMITS);
    stopAll.push(feeds.follow(owner, followers[n]!.following));
    await followers[n]!.hears(1);
  }
  signals.storeChanged();
  const isSeen = (all: readonly Read[]) => all.filter((read) => read === 'readEnds').length === owners.length;
  await poll(() => reads, isSeen);
  reads.length = 0;
  if (stops) for (const stop of stopAll) stop();
  return { ...all, followers, other: elsewhere(store, signals) };
}

test('Writes of another process that concern no follower cost two reads, however many followers there are', async () => {
  const { other, reads } = await followedByMany();
  await other.submit('x', 'bob');
  await poll(
    () => reads,
    (all) => all.includes('findEnded'),
  );
  expect(reads).toEqual(['acceptedAfter', 'findEnded']);
});

test('Only the owner learns what another process accepts and ends', async () => {
  const { other, reads, followers, store } = await followedByMany();
  const [first, ...others] = followers;
  await other.submit('new', 'owner0');
  await first!.hears(2);
  await other.complete(await mustClaim(store, 'w'));
  expect(await first!.hears(3)).toEqual(['pending old0', 'new waiting', 'old0 completed identity of old0']);
  expect(reads.filter((read) => read === 'readEnds')).toHaveLength(1);
  expect(others.map(({ heard }) => heard.length)).toEqual(others.map(() => 1));
});

test('A job that another process ends while the pending ones are read is reported', async () => {
  const { store, signals, feeds, during, reads } = await followedByMany();
  const { following, hears } = follower();
  await store.submit(newJob({ request: 'a', owner: 'ann' }), LIMITS);
  during.list = async () => {
    for (let n = 0; n < 11; n++) await store.complete(await mustClaim(store, 'w'), generated());
    signals.storeChanged();
    await poll(
      () => reads,
      (all) => all.includes('findEnded'),
    );
  };
  feeds.follow('ann', following);
  expect(await hears(2)).toEqual(['pending a', 'a completed identity of a']);
});

test('A failed shared read is reported, and every owner is read separately', async () => {
  const { other, during, errors, followers } = await followedByMany();
  during.acceptedAfter = async () => {
    throw new Error('disk I/O error');
  };
  await other.submit('new', 'owner3');
  await followers[3]!.hears(2);
  expect(errors).toEqual([new Error('disk I/O error')]);
});

test('Without followers, changes by others are not read, and the next read starts again', async () => {
  const { feeds, other, signals, reads } = await followedByMany({ stops: true });
  await other.submit('unheard', 'ann');
  const { following, hears } = follower();
  feeds.follow('ann', following);
  await hears(1);
  reads.length = 0;
  signals.storeChanged();
  await poll(
    () => reads,
    (all) => all.includes('listAfter'),
  );
  expect(reads).toEqual(['newestId', 'listAfter', 'readEnds']);
});

test('A leaving follower causes no further reads while another still follows', async () => {
  const { feeds, other, reads } = await followedByMany();
  const { following, hears } = follower();
  const stop = feeds.follow('ann', following);
  await hears(1);
  stop();
  reads.length = 0;
  await other.submit('x', 'bob');
  await poll(
    () => reads,
    (all) => all.includes('findEnded') || all.includes('readEnds'),
  );
  expect(reads).toEqual(['acceptedAfter', 'findEnded']);
});
