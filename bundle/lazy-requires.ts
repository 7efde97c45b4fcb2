import type { Plugin } from 'rolldown';

/** `const require_a = require("./a.cjs");`, `let node_fs = require("node:fs");`: as rolldown writes imports. */
const REQUIRE = /^(?:const|let) ([\w$]+) = require\("([^"]+)"\);$/gm;
/** What of a module's exports the default import is: follows the require of it. */
const INTEROP = /^([\w$]+) = (require_rolldown_runtime\.\w+\(\1(?:, 1)?\));\n/gm;
/** Rolldown's own helpers, which every file needs at once. */
const HELPERS = /rolldown-runtime/;

/**
 * Loads each file and each module of Node when something in it is first used, not when a file that imports it is
 * loaded. A command loads only what it runs, though its code is written with ordinary imports. That is safe for code that
 * does nothing when it is loaded.
 */
export function lazyRequires(): Plugin {
  return { name: 'lazy-requires', renderChunk: (code) => ({ code: withLazyRequires(code), map: null }) };
}

/** @param code of one file, not minified. Calls are in parentheses because `new` takes the first call it meets. */
export function withLazyRequires(code: string): string {
  const interop = new Map([...code.matchAll(INTEROP)].map(([, name, expression]) => [name, expression]));
  const required = [...code.matchAll(REQUIRE)].filter(([, , file = '']) => !HELPERS.test(file));
  if (required.length === 0) return code;
  const names = required.map(([, name = '']) => name.replaceAll('$', '\\$')).join('|');
  const body = code
    .replace(INTEROP, '')
    .replace(REQUIRE, (line, _name, file) => (HELPERS.test(file) ? line : ''))
    .replace(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)(${names})(?![\\w$])`, 'g'), '($1())');
  return `${required.map(([, name = '', file = '']) => loader(name, file, interop.get(name))).join('')}${body}`;
}

/** A function with the name that the import had. */
function loader(name: string, file: string, interop: string | undefined): string {
  const load = `require(${JSON.stringify(file)})`;
  const value = interop ? interop.replace(`(${name}`, `(${load}`) : load;
  return `let loaded_${name};\nfunction ${name}() { return loaded_${name} ??= ${value}; }\n`;
}
