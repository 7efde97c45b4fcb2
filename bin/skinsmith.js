#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`skinsmith needs Node 22.19 or newer; this is Node ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  const { createRequire, enableCompileCache } = process.getBuiltinModule('node:module');
  enableCompileCache();
  process.exitCode = await createRequire(import.meta.url)('../dist/cli.cjs').main(process.argv.slice(2));
}
