import { expect, test } from 'vitest';
import { type JobNews, JobSignals, type NewsExchange, shareSignals } from '../../../src/server/events.ts';
import type { JobRow } from '../../../src/server/store/schema/tables.ts';

const JOB = { uuid: 'u', owner: 'ann' };

/** Two processes: what one of them tells, the other hears. `told` counts the messages. */
function twoProcesses() {
  const listeners: ((news: JobNews) => void)[] = [];
  const told: JobNews[] = [];
  let onTold = () => {};
  const exchangeOf = (index: number): NewsExchange => ({
    tell: (news) => {
      told.push(news);
      listeners[1 - index]?.(structuredClone(news));
      onTold();
    },
    onNews: (listener) => {
      listeners[index] = listener;
    },
  });
  const processes = [0, 1].map((index) => {
    const signals = new JobSignals();
    shareSignals(signals, exchangeOf(index));
    return signals;
  });
  const untilTold = async () => await new Promise<void>((resolve) => (onTold = resolve));
  return { here: processes[0]!, there: processes[1]!, told, untilTold };
}

function hearAll(signals: JobSignals): string[] {
  const heard: string[] = [];
  signals.listen({
    accepted: (owner) => heard.push(`accepted ${owner}`),
    begun: ({ uuid }) => heard.push(`begun ${uuid}`),
    finished: ({ uuid }) => heard.push(`finished ${uuid}`),
  });
  return heard;
}

test('Events of jobs in one process reach the other in one message', async () => {
  const { here, there, told, untilTold } = twoProcesses();
  const heard = hearAll(there);
  const done = untilTold();
  here.accepted('ann');
  here.accepted('ann');
  here.begun(JOB);
  here.finished(JOB);
  await done;
  expect(heard).toEqual(['accepted ann', 'begun u', 'finished u']);
  expect(told).toHaveLength(1);
});

test('Workers of the other process wake', async () => {
  const { here, there, untilTold } = twoProcesses();
  let works = 0;
  there.onWork(() => void works++);
  const done = untilTold();
  here.accepted('ann');
  await done;
  expect(works).toBe(1);
});

test('Workers of the other process do not wake for jobs whose results are already known', async () => {
  const { here, there, untilTold } = twoProcesses();
  const heard = hearAll(there);
  let works = 0;
  there.onWork(() => void works++);
  let done = untilTold();
  here.accepted('ann', { status: 'completed' } as JobRow);
  await done;
  expect(works).toBe(0);
  done = untilTold();
  here.accepted('ann', { status: 'completed' } as JobRow);
  here.accepted('bob', { status: 'waiting' } as JobRow);
  here.accepted('cid', { status: 'completed' } as JobRow);
  await done;
  expect(works).toBe(1);
  done = untilTold();
  here.accepted('ann', { status: 'completed' } as JobRow);
  here.finished(JOB); // there is room for another
  await done;
  expect(works).toBe(2);
  expect(heard).toEqual([
    ...['accepted ann', 'accepted ann', 'accepted bob', 'accepted cid'],
    ...['accepted ann', 'finished u'],
  ]);
});

test('Received events are not sent again', async () => {
  const { here, there, told, untilTold } = twoProcesses();
  let done = untilTold();
  here.accepted('ann');
  await done;
  done = untilTold();
  there.accepted('bob');
  await done;
  expect(told.map(({ accepted }) => accepted)).toEqual([['ann'], ['bob']]);
});

test('Events contain only the job and its owner', async () => {
  const { here, told, untilTold } = twoProcesses();
  const done = untilTold();
  here.finished({ ...JOB, secret: 'x' } as typeof JOB);
  await done;
  expect(told[0]?.finished).toEqual([JOB]);
});
