import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { learnFacts } from '../../../src/dispatch/dispatcher.ts';
import { SlotLimit } from '../../../src/dispatch/limits.ts';
import type { HostedOptions } from '../../../src/double/hosted/options.ts';
import { openInMemory } from '../../support/hosted/memory-client.ts';

type Contact = Parameters<typeof learnFacts>[0];

async function meet(slots: number | undefined, options?: HostedOptions, more: Partial<Contact> = {}) {
  const { clock, hosted, client } = await openInMemory(options);
  const slotLimit = new SlotLimit(5);
  let looks = 0;
  const contact: Contact = {
    session: { client, call: (signal) => ({ signal }), slotLimit },
    reader: {
      repeatedly: async (_: string, request: () => Promise<unknown>) => await request(),
    } as Contact['reader'],
    tracker: { firstLook: async () => void looks++ },
    stop: new AbortController().signal,
    slots,
    cape: undefined,
    ...more,
  };
  const facts = await clock.until(learnFacts(contact));
  return { facts, hosted, slots: slotLimit.announced, looks: () => looks };
}

test('First contact asks for the account, the key and the jobs in the queue', async () => {
  const { facts, hosted, looks } = await meet(undefined);
  expect(facts.me?.grants.concurrency).toBe(5);
  expect([facts.publicKey, facts.capeTexture]).toEqual([undefined, undefined]);
  expect(hosted.seen.map(({ kind }) => kind).toSorted()).toEqual(['me', 'root']);
  expect(looks()).toBe(1);
});

test('A batch uses the slots of the account, or fewer if fewer are wanted', async () => {
  expect((await meet(undefined, { grants: { queue: 12 } })).slots).toBe(12);
  expect((await meet(3, { grants: { queue: 12 } })).slots).toBe(3);
  expect((await meet(40, { grants: { queue: 12 } })).slots).toBe(12);
});

test('Only the cape is requested from a known service', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const signingKey = async () => ({ publicKey, fingerprint: 'ab' });
  const { facts, hosted, looks, slots } = await meet(undefined, {}, { known: { slots: 3, signingKey } });
  expect(facts).toMatchObject({ fingerprint: 'ab', skinDomains: [], me: { grants: { queue: 3 } } });
  expect([facts.publicKey === publicKey, hosted.seen, looks(), slots]).toEqual([true, [], 0, 3]);
});

test('The texture of a requested cape is read', async () => {
  const capes = [
    { uuid: 'c'.repeat(32), alias: 'a', supported: true, url: 'https://a.example/texture/cc33' },
  ];
  const { facts } = await meet(undefined, { alter: { capes: { capes } } }, { cape: 'c'.repeat(32) });
  expect(facts.capeTexture).toBe('cc33');
});
