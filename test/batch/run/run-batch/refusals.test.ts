import { expect, test } from 'vitest';
import { prepareScripted, runScripted } from '../../../support/scripted/run-scripted.ts';
import type { ScriptedAnswer } from '../../../support/scripted/scripted-service.ts';

function refused(status: number, code: string): ScriptedAnswer {
  return { status, headers: {}, body: { success: false, errors: [{ code, message: 'No.' }] } };
}

test.each([
  ['with a status of its own', refused(402, 'payment')],
  ['with a code', refused(403, 'insufficient_credits')],
])(
  'A batch without credits stops at the first refusal %s, and collects what is pending',
  async (_, answer) => {
    let credits = 12;
    const instead = (asked: string) => (asked === 'submit' && --credits < 0 ? answer : undefined);
    const { summary, service, events } = await runScripted(100, { instead });
    expect(summary).toMatchObject({ end: 'halted', made: 12, failed: 0, left: 88, submitted: 12 });
    expect(summary.halt).toMatchObject({ error: { status: answer.status } });
    expect(service.requests.submit.length).toBeLessThanOrEqual(12 + 5);
    expect(events.filter(({ type }) => type === 'left')).toHaveLength(88);
  },
);

test('The next batch, with credits again, makes what was left and nothing twice', async () => {
  let credits = 3;
  const { clock, service, batch } = await prepareScripted({
    instead: (asked) => (asked === 'submit' && --credits < 0 ? refused(402, 'payment') : undefined),
  });
  expect(await clock.until(batch(20))).toMatchObject({ end: 'halted', made: 3, left: 17 });
  credits = 20;
  expect(await clock.until(batch(20))).toMatchObject({ end: 'complete', made: 17, resumed: 3, left: 0 });
  expect(service.jobs).toHaveLength(20);
});

test('A refusal of an unknown kind, five times in a row, ends submitting', async () => {
  const instead = (asked: string) => (asked === 'submit' ? refused(403, 'new_rule') : undefined);
  const { summary, service } = await runScripted(100, { instead });
  expect(summary).toMatchObject({ end: 'halted', made: 0, failed: 5, left: 95 });
  expect(summary.halt).toMatchObject({ error: { code: 'new_rule' } });
  expect(service.requests.submit).toHaveLength(5);
});

test.each([
  ['about pictures', () => refused(400, 'invalid_image')],
  ['with two codes in turn', (count: number) => refused(403, `rule_${count % 2}`)],
  ['between skins that are made', (count: number) => (count % 5 === 4 ? undefined : refused(403, 'rule'))],
])('Refusals %s do not end submitting', async (_, answer) => {
  let count = 0;
  const { summary } = await runScripted(40, {
    instead: (asked) => (asked === 'submit' ? answer(count++) : undefined),
  });
  expect(summary).toMatchObject({ end: 'complete', sources: 40, left: 0 });
});
