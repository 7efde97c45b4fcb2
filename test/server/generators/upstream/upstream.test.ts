import { expect, test } from 'vitest';
import type { Texture } from '../../../../src/server/generators/port.ts';
import { Upstream, type UpstreamOptions } from '../../../../src/server/generators/upstream/upstream.ts';
import type { Db } from '../../../../src/server/store/db.ts';
import {
  acceptUpstreamJob,
  beginUpstreamJob,
  findUpstreamJob,
} from '../../../../src/server/store/upstream-jobs.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { poll } from '../../../support/server/poll.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

const TEXTURE: Texture = {
  ...{ owner: 'ann', identity: 'i', hash: 'h', capeHash: null },
  ...{ variant: 'classic', visibility: 'public' },
};
const SENT = { at: 0, mark: 0 };
const DATA = { value: 'v', signature: 's' };
const never = new AbortController().signal;

type Parts = Partial<Record<'firstLook' | 'end' | 'endOfNew' | 'submit', () => Promise<unknown>>>;

/** The generator over a service that does as is said, and what it was asked for, in order. */
async function open({ firstLook = async () => {}, submit, ...jobs }: Parts) {
  const { db } = await openOwnStore(await ownFolder());
  const asked: string[] = [];
  const heard = (name: string, act: (() => Promise<unknown>) | undefined) => async () => {
    asked.push(name);
    return await act?.();
  };
  const options = {
    db,
    session: { clock: { now: () => 1_000 }, slotLimit: {}, isSkinsmith: false },
    contact: { facts: async () => ({ slots: 5 }) },
    jobs: { firstLook, end: heard('end', jobs.end), endOfNew: heard('endOfNew', jobs.endOfNew) },
    submitting: { submit: heard('submit', submit) },
    results: { dataOf: async () => DATA },
  } as unknown as UpstreamOptions;
  return { db, asked, upstream: new Upstream(options) };
}

/** As before a submission is sent. */
async function begin(db: Db): Promise<void> {
  const intent = {
    identity: 'i',
    idempotency_key: 'k',
    mark: 0,
    submitted_at: 1,
    sender: 's',
    sending_until: 2,
  };
  expect(await beginUpstreamJob(db, intent, { seen: undefined, slots: 5, since: 0 })).toBe('begun');
}

test('A picture whose submissions fail is sent five times, and then its job waits for ten seconds', async () => {
  const { asked, upstream } = await open({ submit: async () => ({ state: undefined, sent: SENT }) });
  await expect(upstream.generate(TEXTURE, never)).rejects.toMatchObject({
    name: 'GenerationPostponed',
    until: 11_000,
  });
  expect(asked).toEqual(['submit', 'submit', 'submit', 'submit', 'submit']);
});

test('A job is recorded before its end is known, so that it is waited for and not sent again after a kill', async () => {
  const end = Promise.withResolvers<object>();
  const state = { job: { id: 'theirs' } };
  const { db, asked, upstream } = await open({
    submit: async () => {
      await begin(db);
      return { state, sent: SENT };
    },
    endOfNew: async () => await end.promise,
    end: async () => state,
  });
  const killed = upstream.generate(TEXTURE, never);
  await poll(
    () => findUpstreamJob(db, 'i'),
    (row) => row?.job_id === 'theirs',
    60_000,
  );
  expect(await upstream.generate(TEXTURE, never)).toEqual(DATA);
  expect(asked).toEqual(['submit', 'endOfNew', 'end']);
  end.resolve(state);
  await killed;
});

test('A recorded job that the service no longer knows is dropped, and the picture is sent again', async () => {
  const { db, asked, upstream } = await open({
    end: async () => undefined,
    submit: async () => {
      expect(await findUpstreamJob(db, 'i')).toBeUndefined();
      return { state: { job: { id: 'another' } }, sent: SENT };
    },
    endOfNew: async () => ({}),
  });
  await begin(db);
  await acceptUpstreamJob(db, 'i', 'theirs');
  expect(await upstream.generate(TEXTURE, never)).toEqual(DATA);
  expect(asked).toEqual(['end', 'submit', 'endOfNew']);
});
