import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A clone has a Node of its own (the package `node`): a global link to it runs under any other. */
export async function runUnderBundledNode(program) {
  const node = bundledNode();
  if (node === undefined) {
    process.stderr.write(
      `skinsmith needs Node 22.19 or newer; this is Node ${process.versions.node}.\n` +
        'Install Node 24 (https://nodejs.org), or use a clone of the repository, which brings its own: npm install && npm install -g .\n',
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both: the program takes two signals that come at once for one. On Windows, `kill` would
  // end it at once, whatever the signal.
  const pass = process.platform === 'win32' ? () => {} : (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass);
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

function bundledNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const path = join(folder, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined; // installed from the registry: it comes without
  }
}
