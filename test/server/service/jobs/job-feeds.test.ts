import { expect, test } from 'vitest';
import { LIMITS, newJob } from '../../../contract/jobs.ts';
import { mustClaim } from '../../../contract/queue-steps.ts';
import { CountedSignals, elsewhere, follower, world } from '../../../support/jobs/followed-jobs.ts';

test('Jobs that this process accepted are reported without a read, and jobs of others are reported too', async () => {
  const { feeds, store, signals, reads } = await world();
  const { following, heard, hears } = follower();
  feeds.follow('ann', following);
  await hears(1);
  await elsewhere(store, new CountedSignals()).submit('elsewhere', 'ann');
  const here = await store.submit(newJob({ request: 'here' }), LIMITS);
  signals.accepted('ann', 'job' in here ? here.job : undefined);
  await hears(2);
  expect([heard[1], reads]).toEqual(['here waiting', ['list']]);
  signals.accepted('ann');
  await hears(3);
  await store.submit(newJob({ request: 'last' }), LIMITS);
  signals.accepted('ann');
  await hears(4);
  expect(heard.slice(2)).toEqual(['elsewhere waiting', 'last waiting']);
});

test('A job is reported when it is accepted and when it has ended, with its skin', async () => {
  const { feeds, submit, complete, store } = await world();
  const { following, hears } = follower();
  await submit('old');
  feeds.follow('ann', following);
  await hears(1);
  await submit('new');
  await hears(2);
  await complete(await mustClaim(store, 'w'));
  expect(await hears(3)).toEqual(['pending old', 'new waiting', 'old completed identity of old']);
});

test('The end of a job costs one look-up, and none while the owner has no followers', async () => {
  const { feeds, submit, complete, store, reads, signals } = await world();
  const { following, hears } = follower();
  const stop = feeds.follow('ann', following);
  await hears(1);
  await submit('a');
  await submit('x', 'bob');
  await hears(2);
  expect(reads).toEqual(['list', 'listAfter']);
  await complete(await mustClaim(store, 'w'));
  await complete(await mustClaim(store, 'w'));
  await hears(3);
  expect(reads).toEqual(['list', 'listAfter', 'readEnds']);
  stop();
  stop();
  await submit('b');
  signals.storeChanged();
  await complete(await mustClaim(store, 'w'));
  expect(reads).toHaveLength(3);
  expect([feeds.size, feeds.sizeOf('ann')]).toEqual([0, 0]);
});

test('Jobs are read once for several followers of one owner', async () => {
  const { feeds, submit, complete, store, reads } = await world();
  const [one, two] = [follower(), follower()];
  feeds.follow('ann', one.following);
  feeds.follow('ann', two.following);
  await Promise.all([one.hears(1), two.hears(1)]);
  await submit('a');
  await Promise.all([one.hears(2), two.hears(2)]);
  await complete(await mustClaim(store, 'w'));
  await Promise.all([one.hears(3), two.hears(3)]);
  expect(reads.slice(-2)).toEqual(['listAfter', 'readEnds']);
  expect(two.heard).toEqual(one.heard);
  expect([feeds.size, feeds.sizeOf('ann'), feeds.sizeOf('bob')]).toEqual([2, 2, 0]);
});

test('The end of a job is reported once, whatever happens elsewhere', async () => {
  const { feeds, submit, complete, store, signals } = await world();
  const { following, hears } = follower();
  feeds.follow('ann', following);
  await submit('a');
  await hears(2);
  const lease = await mustClaim(store, 'w');
  await complete(lease);
  await hears(3);
  signals.storeChanged();
  signals.finished(lease.job);
  await submit('b');
  expect((await hears(4)).slice(2)).toEqual(['a completed identity of a', 'b waiting']);
});

test('Signals have one listener while there are followers', async () => {
  const { feeds, signals } = await world();
  const stops = ['ann', 'ann', 'bob'].map((owner) => feeds.follow(owner, follower().following));
  expect(signals.listeners).toBe(1);
  for (const stop of stops) stop();
  expect(signals.listeners).toBe(0);
  feeds.follow('ann', follower().following)();
  expect(signals.listeners).toBe(0);
});

test('A job that ends while the pending ones are read is reported', async () => {
  const { feeds, submit, complete, store, during } = await world();
  const { following, hears } = follower();
  await submit('a');
  during.list = async () => await complete(await mustClaim(store, 'w'));
  feeds.follow('ann', following);
  expect(await hears(2)).toEqual(['pending a', 'a completed identity of a']);
});

test('A job that is accepted and ends while the pending ones are read is reported once', async () => {
  const { feeds, submit, complete, store, during } = await world();
  const { following, heard, hears } = follower();
  during.list = async () => {
    await submit('a');
    await complete(await mustClaim(store, 'w'));
  };
  feeds.follow('ann', following);
  await hears(2);
  during.list = async () => {};
  await submit('b');
  expect(await hears(3)).toEqual(['pending ', 'a completed identity of a', 'b waiting']);
  expect(heard).toHaveLength(3);
});

test('A job that a worker has finished but that has not ended is not reported', async () => {
  const { feeds, submit, store, signals } = await world();
  const { following, hears } = follower();
  feeds.follow('ann', following);
  await submit('a');
  await hears(2);
  const lease = await mustClaim(store, 'w');
  await store.fail(lease, { code: 'internal_error', message: 'Oh.', passing: true });
  signals.finished(lease.job);
  await submit('b');
  expect(await hears(3)).toEqual(['pending ', 'a waiting', 'b waiting']);
});

test('A later follower begins with the jobs that are then pending', async () => {
  const { feeds, submit } = await world();
  const [one, two] = [follower(), follower()];
  feeds.follow('ann', one.following);
  await submit('a');
  await one.hears(2);
  feeds.follow('ann', two.following);
  expect(await two.hears(1)).toEqual(['pending a']);
  await submit('b');
  await two.hears(2);
  expect([one.heard, two.heard]).toEqual([
    ['pending ', 'a waiting', 'b waiting'],
    ['pending a', 'b waiting'],
  ]);
});

test('A follower that stops before it was greeted hears nothing', async () => {
  const { feeds, submit } = await world();
  const [one, two] = [follower(), follower()];
  feeds.follow('ann', one.following)();
  feeds.follow('ann', two.following);
  await submit('a');
  await two.hears(2);
  expect(one.heard).toEqual([]);
});

test('An unreadable store ends the followers; the next one starts again', async () => {
  const { feeds, submit, during, errors, signals } = await world();
  const [one, two] = [follower(), follower()];
  feeds.follow('ann', one.following);
  await one.hears(1);
  during.listAfter = async () => {
    throw new Error('disk I/O error');
  };
  await submit('a');
  expect(await one.hears(2)).toEqual(['pending ', 'end']);
  expect(errors).toEqual([new Error('disk I/O error')]);
  during.listAfter = async () => {};
  feeds.follow('ann', two.following);
  await two.hears(1);
  signals.storeChanged();
  await submit('b');
  expect(await two.hears(2)).toEqual(['pending a', 'b waiting']);
  expect(one.heard).toHaveLength(2);
});

test('Closing reports outstanding jobs, then ends every follower', async () => {
  const { feeds, submit, complete, store } = await world();
  const [one, two] = [follower(), follower()];
  await submit('a');
  feeds.follow('ann', one.following);
  feeds.follow('bob', two.following);
  await one.hears(1);
  await complete(await mustClaim(store, 'w'));
  await feeds.close();
  expect(one.heard).toEqual(['pending a', 'a completed identity of a', 'end']);
  expect(two.heard).toEqual(['pending ', 'end']);
});
