import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findCircles } from './support/rooms/circles.ts';
import { filesIn, readImports } from './support/rooms/imports.ts';
import { misplacedTests } from './support/rooms/places.ts';
import {
  packagesOutOfPlace,
  roomsAsMarkdown,
  roomsOutOfPlace,
  serverRoomsOutOfOrder,
} from './support/rooms/rules.ts';
import { ROOMS } from './support/rooms/table.ts';

const ROOT = join(import.meta.dirname, '..');
const IMPORTS = readImports(ROOT, ['src']);
const TESTS = filesIn(ROOT, ['test']).filter((file) => file.endsWith('.test.ts'));

test('A room imports only what the table of rooms says', () => {
  expect(roomsOutOfPlace(IMPORTS)).toEqual([]);
});

test('Each room imports only rooms below it', () => {
  const rooms = Object.keys(ROOMS);
  const upward = Object.entries(ROOMS).flatMap(([room, { imports }]) =>
    imports.filter((target) => rooms.includes(target) && rooms.indexOf(target) < rooms.indexOf(room)),
  );
  expect(upward).toEqual([]);
});

test('Each room of the server imports only rooms below it', () => {
  expect(serverRoomsOutOfOrder(IMPORTS)).toEqual([]);
});

test('A package is imported only where the table says', () => {
  expect(packagesOutOfPlace(IMPORTS)).toEqual([]);
});

test('There are no import cycles, not even of types', () => {
  const circles = findCircles(
    readImports(ROOT, ['src', 'test', 'bench', 'docs', 'man', 'examples', 'bundle', 'deploy']),
  );
  expect(circles).toEqual([]);
});

test('A unit test stands where its source is', () => {
  expect(misplacedTests(TESTS, filesIn(ROOT, ['src', 'test', 'examples', 'bundle']))).toEqual([]);
});

test('CONTRIBUTING shows the table of rooms', () => {
  expect(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).toContain(roomsAsMarkdown());
});
