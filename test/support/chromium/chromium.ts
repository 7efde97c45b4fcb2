import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { FONTS_FILE, unpackedChromium } from './unpack.ts';

const ARGS = [
  // WebGL without a graphics card.
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  // Pages are drawn without it: in software it takes three times as long to put them together by WebGL.
  '--disable-gpu-compositing',
  '--disable-gpu-rasterization',
  // Other processes need the cores: without threads that compile and collect, scripts such as axe's take a third less.
  '--js-flags=--single-threaded',
  '--font-render-hinting=none',
  // Half as many processes: no page of the tests needs one of its own.
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--no-zygote',
  // No other process for another site either.
  '--disable-site-isolation-trials',
  // Tests reach only this machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

let shared: Promise<Browser> | undefined;

/**
 * The browser of this process, which all its test files share, and which ends with it. Each test has contexts that no
 * other has at that time (see `openPage`).
 */
export async function workersChromium(): Promise<Browser> {
  shared ??= startChromium();
  const browser = await shared.catch(() => undefined);
  if (browser?.isConnected()) return browser;
  shared = startChromium(); // it has crashed, or did not start in time
  return await shared;
}

/** A browser without a window, from npm: it needs nothing but Node, and reaches only this machine. Close it. */
export async function startChromium(): Promise<Browser> {
  const folder = await unpackedChromium();
  return await chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ARGS,
    chromiumSandbox: false, // it does not work for root, as in most containers
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      // Its own fonts have no Chinese or Japanese letters.
      FONTCONFIG_FILE: process.env['FONTCONFIG_FILE'] ?? join(folder, FONTS_FILE),
    },
  });
}
