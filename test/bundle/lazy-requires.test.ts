import vm from 'node:vm';
import { expect, test } from 'vitest';
import { withLazyRequires } from '../../bundle/lazy-requires.ts';

/** Runs code like a CommonJS file; `loaded` gets what it requires, in that order. */
function run(code: string, modules: Readonly<Record<string, unknown>>) {
  const loaded: string[] = [];
  const exports: Record<string, () => unknown> = {};
  const require = (name: string) => {
    loaded.push(name);
    return modules[name];
  };
  vm.runInNewContext(withLazyRequires(code), { require, exports });
  return { loaded, exports };
}

test('A file is loaded when something in it is first used, and only once', () => {
  const { loaded, exports } = run(
    'const require_a = require("./a.cjs");\nexports.twice = () => require_a.x + require_a.x;\n',
    { './a.cjs': { x: 2 } },
  );
  expect(loaded).toEqual([]);
  expect(exports['twice']?.()).toBe(4);
  expect(loaded).toEqual(['./a.cjs']);
});

test('Files with names that begin alike are told apart', () => {
  const { loaded, exports } = run(
    'const require_a = require("./a.cjs");\nconst require_a$1 = require("./b.cjs");\nexports.b = () => require_a$1.x;\n',
    { './b.cjs': { x: 'b' } },
  );
  expect(exports['b']?.()).toBe('b');
  expect(loaded).toEqual(['./b.cjs']);
});

test('Classes can be constructed, and lists spread', () => {
  const { exports } = run(
    'const require_a = require("./a.cjs");\nexports.made = () => new require_a.Box(...require_a.list).sum;\n',
    {
      './a.cjs': {
        list: [1, 2],
        Box: class {
          readonly sum: number;
          constructor(a: number, b: number) {
            this.sum = a + b;
          }
        },
      },
    },
  );
  expect(exports['made']?.()).toBe(3);
});

test('The default export of a module of Node is made when it is first used', () => {
  const { loaded, exports } = run(
    [
      'const require_rolldown_runtime = require("./rolldown-runtime.cjs");',
      'let node_path = require("node:path");',
      'node_path = require_rolldown_runtime.t(node_path, 1);',
      'exports.separator = () => node_path.default.sep;\n',
    ].join('\n'),
    {
      './rolldown-runtime.cjs': { t: (module: unknown) => ({ default: module }) },
      'node:path': { sep: '|' },
    },
  );
  expect(loaded).toEqual(['./rolldown-runtime.cjs']);
  expect(exports['separator']?.()).toBe('|');
});

test('Properties of other objects keep their names', () => {
  const { exports } = run(
    'const require_a = require("./a.cjs");\nconst own = {};\nown.require_a = 1;\nexports.other = () => own.require_a + require_a.x;\n',
    { './a.cjs': { x: 2 } },
  );
  expect(exports['other']?.()).toBe(3);
});
