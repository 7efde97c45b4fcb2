#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 19);

if (isOld) await runUnderBundledNode();
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

/** A clone has a Node of its own (the package `node`): a global link to it runs under any other. */
async function runUnderBundledNode() {
  const node = await bundledNode();
  if (node === undefined) {
    process.stderr.write(
      `skinsmith needs Node 22.19 or newer; this is Node ${process.versions.node}.\n` +
        'Install Node 24 (https://nodejs.org), or use a clone of the repository, which brings its own: npm install && npm install -g .\n',
    );
    process.exitCode = 1;
    return;
  }
  const { spawn } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both; what is sent to this process alone is passed on.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

async function bundledNode() {
  const { createRequire } = await import('node:module');
  const { existsSync } = await import('node:fs');
  const { dirname, join } = await import('node:path');
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const path = join(folder, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined; // installed from the registry: it comes without
  }
}
