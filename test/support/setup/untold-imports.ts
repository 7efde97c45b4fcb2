import { isBuiltin, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const ROOT = `${pathToFileURL(process.cwd())}/`;

function isOwn(url: string): boolean {
  return url.startsWith(ROOT) && !url.includes('/node_modules/');
}

/**
 * Resolves what modules import from Node and our own ones from each other, before Vitest's hook does: for its watch mode,
 * that sends a message for each import of each worker, and for two at each start of a service.
 */
function resolveUntold(): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const { parentURL = '' } = context;
      if (isBuiltin(specifier))
        return { url: `node:${specifier.replace(/^node:/, '')}`, format: 'builtin', shortCircuit: true };
      if (/^\.\.?\/[^?]*\.ts$/.test(specifier) && isOwn(parentURL))
        return { url: new URL(specifier, parentURL).href, shortCircuit: true };
      return nextResolve(specifier, context);
    },
  });
}

if (process.env['VITEST_MODE'] !== 'WATCH') resolveUntold();
