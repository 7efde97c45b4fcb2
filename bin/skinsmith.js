#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 19);
const { bun, deno } = process.versions;
const other = bun ? `Bun ${bun}` : deno && `Deno ${deno}`;

if (other) {
  process.stderr.write(
    `skinsmith's commands need Node 22.19 or newer, and this is ${other}. Run them with Node: npx skinsmith\n`,
  );
  process.exitCode = 1;
} else if (isOld) await (await import('./newer-node.js')).runUnderBundledNode(new URL(import.meta.url));
else {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { start } = built(createRequire(import.meta.url)) ?? {};
  process.exitCode = start ? await start(process.argv.slice(2)) : 1;
}

function built(load) {
  try {
    return load('../dist/start.cjs');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    process.stderr.write('skinsmith is not built here. Run in its folder: npm install\n');
    return undefined;
  }
}
