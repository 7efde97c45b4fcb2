import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { Messages, Waits } from '../../../../src/cli/terminal/messages.ts';
import { momentAt } from '../../../../src/cli/text/text.ts';
import { testIo } from '../../../support/cli/test-io.ts';

beforeEach(() => vi.useFakeTimers({ now: new Date(2026, 10, 22, 13, 0) }));
afterEach(() => vi.useRealTimers());

/** What stands on the line, time by time; a terminal without a width has lines instead. */
function terminal(columns: number, flags = {}) {
  const { io, err } = testIo({ errTTY: true, columns });
  const line: string[] = [];
  const spin = async (text: string) => {
    line.push(text);
    const stop = () => void line.push('');
    return { text: (next: string) => void line.push(next), aside: async () => {}, stop };
  };
  const messages = new Messages(io, flags, spin);
  return { waits: new Waits(messages, systemClock), messages, line, err };
}

const pass = async (seconds: number) => await vi.advanceTimersByTimeAsync(seconds * 1_000);

describe('A command that waits', () => {
  test('for an answer says so within 8 s, on a line that it clears afterwards', async () => {
    const { waits, line } = terminal(80);
    waits.sent('https://a.example', 20_000);
    await pass(2);
    expect(line).toEqual([]);
    await pass(3);
    expect(line.at(-1)).toBe('Waiting for an answer from https://a.example: 5 s so far, 20 s at most.');
    waits.answered();
    await pass(3);
    expect(line.at(-1)).toBe('');
  });

  test('prints lines at most 8 s apart if no line can be redrawn', async () => {
    const { waits, err } = terminal(0);
    waits.sent('https://a.example', 60_000);
    await pass(30);
    expect(err().split('\n').filter(Boolean)).toHaveLength(4);
    waits.answered();
    const said = err();
    await pass(30);
    expect(err()).toBe(said);
  });

  test('for many short answers in a row says that it waits', async () => {
    const { waits, err } = terminal(0);
    for (let request = 0; request < 40; request++) {
      waits.sent('https://a.example', 20_000);
      await pass(0.5);
      waits.answered();
    }
    expect(err().split('\n').filter(Boolean).length).toBeGreaterThanOrEqual(2);
    await pass(60);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("at the service's request says why, how long, and until when", async () => {
    const { waits, line } = terminal(80);
    waits.paused({ message: 'Too fast.', pause: 5 * 60_000 });
    await pass(0);
    expect(line.at(-1)).toBe('Too fast. Retrying in 5 min, at 13:05; Ctrl-C is safe.');
    await pass(270);
    expect(line.at(-1)).toBe('Too fast. Retrying in 30 s, at 13:05; Ctrl-C is safe.');
    waits.sent('https://a.example', 20_000);
    waits.answered();
    await pass(0);
    expect(line.at(-1)).toBe('');
  });

  test('never takes more than one line, which could not be redrawn', async () => {
    const { waits, line } = terminal(60);
    waits.paused({ message: 'You have sent too many requests in a given time.', pause: 60_000 });
    await pass(3);
    waits.sent('https://a-host-with-a-rather-long-name.skins.example.org', 20_000);
    await pass(70);
    expect(line.length).toBeGreaterThan(3);
    expect(line.filter((text) => text.length > 57)).toEqual([]);
    expect(line[0]).toContain('Retrying in 60 s');
    waits.answered();
  });

  test('leaves the line to a progress bar that is already shown', async () => {
    const { waits, messages, line } = terminal(80);
    const other = await messages.progress('Generating');
    waits.sent('https://a.example', 20_000);
    await pass(10);
    expect(line).toEqual(['Generating']);
    other.stop();
    await pass(1);
    expect(line.at(-1)).toContain('11 s so far');
  });

  test.each([{ quiet: true }, { json: true }])('says nothing with %j', async (flags) => {
    const { waits, line, err } = terminal(80, flags);
    waits.sent('https://a.example', 20_000);
    waits.paused({ message: 'Too fast.', pause: 60_000 });
    await pass(20);
    expect([line, err()]).toEqual([[], '']);
  });
});

test('A time on another day is shown with its day', () => {
  const now = new Date(2026, 10, 22, 13, 0).getTime();
  expect(momentAt(now + 3_600_000, now)).toBe('14:00');
  expect(momentAt(now + 24 * 3_600_000, now)).toBe('Mon 23 Nov, 13:00');
});
