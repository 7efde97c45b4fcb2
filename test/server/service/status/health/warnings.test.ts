import { expect, test } from 'vitest';
import { storeWarnings } from '../../../../../src/server/service/status/health.ts';
import type { Notifier } from '../../../../../src/server/store/db.ts';

const notifier: Notifier = { notify: () => {}, onNotification: () => {} };

function connections(change: { waitingFor?: number; isListening?: boolean } = {}) {
  return () => ({ busy: 1, idle: 0, most: 1, waiting: 1, waitingFor: 0, isListening: true, ...change });
}

test('A store in a file causes no warning', () => {
  expect(storeWarnings({}, 0)).toEqual([]);
});

test.each([
  ['a clock that is ahead', 2_000, {}, ['store_clock']],
  ['a clock that is behind', -2_000, {}, ['store_clock']],
  ['a clock that is almost right', 1_999, {}, []],
  ['connections that are all in use for long', 0, { waitingFor: 5_000 }, ['store_pool']],
  ['connections that are all in use for a moment', 0, { waitingFor: 4_999 }, []],
  ['a listener that hears nothing', 0, { isListening: false }, ['store_listener']],
])('The store gives the right warnings with %s', (_, skew, change, warnings) => {
  expect(storeWarnings({ connections: connections(change), notifier }, skew)).toEqual(warnings);
});

test('Behind a pooler, a store without a listening connection causes no warning', () => {
  expect(storeWarnings({ connections: connections({ isListening: false }) }, 0)).toEqual([]);
});
