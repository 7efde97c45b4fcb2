import { expect, test } from 'vitest';
import { groupOf } from '../../../../src/server/http/in-process/endpoints.ts';
import { ROUTE_GROUPS } from '../../../../src/server/http/routes/groups.ts';

const PATHS = ROUTE_GROUPS.flatMap((group) =>
  group.routes().flatMap(({ paths }) => paths.map((path) => ({ path, group }))),
);

test.each(PATHS)('$path is found in its group', ({ path, group }) => {
  expect(groupOf(path)?.starts).toBe(group.starts);
  expect(groupOf(`${path}/`)?.starts).toBe(group.starts);
});

test('An encoded path belongs to the group of the path that it encodes', () => {
  expect(groupOf('/v2/%71ueue/7')).toBe(groupOf('/v2/queue/7'));
});
