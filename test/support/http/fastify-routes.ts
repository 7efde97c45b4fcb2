import { buildApp } from '../../../src/server/http/fastify/app.ts';
import { NETWORK_LIMITS } from '../../../src/server/http/fastify/network-limits.ts';
import type { ServiceContext } from '../../../src/server/service/context.ts';

/** All that the framework routes, as it says itself: `GET /v2/skins/:uuid`. */
export async function fastifyRoutes(): Promise<string[]> {
  const { app } = await buildApp({
    context: {} as ServiceContext, // nothing is asked
    allowsAnonymous: true,
    logLevel: 'silent',
    logAddresses: 'none',
    logStream: process.stderr,
    networkLimits: NETWORK_LIMITS,
    hasPages: false,
    trustProxy: undefined,
  });
  await app.ready();
  const tree = app.printRoutes({ commonPrefix: false });
  await app.close();
  return readTree(tree);
}

/** Each line has the rest of an address, as deep below the line it belongs to as it is indented. */
function readTree(tree: string): string[] {
  const above: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const match = /^(?<indent>[│ ]*)[├└]── (?<part>\S+)(?: \((?<methods>.*)\))?$/.exec(line);
    const { indent = '', part = '', methods = '' } = match?.groups ?? {};
    if (!match) return [];
    above.length = indent.length / 4;
    const path = above.join('') + part;
    above.push(part);
    return methods
      .split(', ')
      .filter(Boolean)
      .map((method) => `${method} ${path}`);
  });
}
