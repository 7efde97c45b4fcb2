import { expect, test } from 'vitest';
import { type JobNews, newsByNotification } from '../../../src/server/events.ts';
import { LONGEST_NOTIFICATION } from '../../../src/server/store/db.ts';

/** A notifier that only one who uses it hears. */
function mirror() {
  const texts: string[] = [];
  let hear: (text: string) => void = () => {};
  const news = newsByNotification({
    notify: (text) => {
      texts.push(text);
      hear(text);
    },
    onNotification: (listener) => {
      hear = listener;
    },
  });
  const heard: JobNews[] = [];
  news.onNews((one) => heard.push(one));
  return { news, texts, heard, hear: (text: string) => hear(text) };
}

const jobs = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({ uuid: `${name}${n}`, owner: `owner ü ${n}` }));

test('Events arrive as they were sent', () => {
  const { news, heard } = mirror();
  const told = { accepted: ['a', 'b'], begun: jobs(1, 'begun'), finished: jobs(2, 'done') };
  news.tell(told);
  expect(heard).toEqual([told]);
});

test('Events say if they include no work', () => {
  const { news, heard } = mirror();
  const told = { accepted: ['a'], begun: [], finished: [], withoutWork: true };
  news.tell(told);
  expect(heard).toEqual([told]);
});

test('Many events are split into several messages, none too long, and none is lost', () => {
  const { news, texts, heard } = mirror();
  const told = { accepted: ['a'], begun: jobs(300, 'begun'), finished: jobs(300, 'done') };
  news.tell(told);
  expect(texts.length).toBeGreaterThan(2);
  expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(LONGEST_NOTIFICATION);
  expect(heard.flatMap(({ accepted }) => accepted)).toEqual(told.accepted);
  expect(heard.flatMap(({ begun }) => begun)).toEqual(told.begun);
  expect(heard.flatMap(({ finished }) => finished)).toEqual(told.finished);
});

test('Without events, nothing is sent', () => {
  const { news, texts } = mirror();
  news.tell({ accepted: [], begun: [], finished: [] });
  expect(texts).toEqual([]);
});

test('Unknown content is ignored, and missing content is empty', () => {
  const { heard, hear } = mirror();
  for (const text of ['', 'look', '{"begun":[["a"]]}', '[]']) hear(text);
  hear('{"finished":[["a","b"]],"later":1}');
  expect(heard).toEqual([{ accepted: [], begun: [], finished: [{ uuid: 'a', owner: 'b' }] }]);
});
