import { expect, test } from 'vitest';
import type { Texture } from '../../../../src/server/generators/port.ts';
import { openGateway } from '../../../support/hosted/gateway.ts';
import { cutOff } from '../../../support/hosted/hosted-in-memory.ts';

function textureOf(hash: string, identity = hash): Texture {
  return { owner: 'ann', identity, hash, variant: 'classic', capeHash: null, visibility: 'public' };
}

test("A job of ours without a waiting caller is not mistaken for another program's", async () => {
  const { clock, hosted, opened, keepPicture } = await openGateway({ serviceTime: [60_000, 20_000] });
  const { generator } = opened;
  const [first, second] = [textureOf(await keepPicture(1)), textureOf(await keepPicture(2))];
  const abort = new AbortController();
  const stopped = generator.generate(first, abort.signal).catch((error: unknown) => error);
  void clock.sleep(5_000).then(() => abort.abort('enough'));
  expect(await clock.until(stopped)).toBe('enough');
  await generator.settled?.(first.identity); // its record is gone, its job is still in the list
  const slots: (number | undefined)[] = [];
  hosted.disturb = async (_, process) => {
    slots.push((await generator.bounds?.())?.processing);
    return await process();
  };
  await clock.until(generator.generate(second, new AbortController().signal));
  expect(hosted.times('list').length).toBeGreaterThan(3);
  expect(new Set(slots)).toEqual(new Set([5]));
});

test('A submission without an answer is not mistaken for our job with the same picture', async () => {
  const { clock, hosted, opened, keepPicture } = await openGateway({ serviceTime: 100, known: 'nothing' });
  const { generator } = opened;
  const hash = await keepPicture(1);
  let count = 0;
  hosted.disturb = async (request, process) => {
    if (request.kind !== 'submit' || ++count !== 2) return await process();
    await clock.sleep(2_000);
    throw cutOff();
  };
  const make = async (identity: string) => {
    await generator.generate(textureOf(hash, identity), new AbortController().signal);
    await generator.settled?.(identity);
  };
  await clock.until(Promise.all([make('one'), make('other')]));
  expect([hosted.times('submit').length, hosted.records.accepted.length]).toEqual([3, 2]);
});
