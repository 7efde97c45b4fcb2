import { expect, test } from 'vitest';
import { ROUTE_GROUPS } from '../../../../src/server/http/routes/groups.ts';
import { groupsOf } from '../../../../src/server/http/routing/endpoints.ts';

const PATHS = ROUTE_GROUPS.flatMap((group) =>
  group.routes().flatMap(({ paths }) => paths.map((path) => ({ path, group }))),
);

test.each(PATHS)('$path is found in its group', ({ path, group }) => {
  expect(groupsOf(path)[0]?.starts).toBe(group.starts);
  expect(groupsOf(`${path}/`)[0]?.starts).toBe(group.starts);
});

test('An encoded path belongs to the group of the path that it encodes', () => {
  expect(groupsOf('/v2/%71ueue/7')).toEqual(groupsOf('/v2/queue/7'));
});

test('A path may be one of a later group as well: a job could be named batch', () => {
  const starts = groupsOf('/v2/queue/batch').map((group) => group.starts[0]);
  expect(starts.slice(0, 2)).toEqual(['/v2/queue/batch', '/v2/queue']);
});
