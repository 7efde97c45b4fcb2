import { isDeepStrictEqual } from 'node:util';
import type { ServerProcess } from '../cluster/server-process.ts';
import { Askers } from './askers.ts';
import type { Contents, PlainRow } from './contents.ts';

/**
 * Reads all skins of a frozen store again and again, each time from another of the servers that run. Resolves to how
 * many came with the skin data that the store had.
 */
export async function readUntil(
  isOver: () => boolean,
  { servers, store }: { servers: readonly ServerProcess[]; store: Contents },
  onFault: (fault: string) => void,
): Promise<number> {
  const skins = store.get('skins') ?? [];
  let count = 0;
  for (let n = 0; !isOver(); n++) {
    const running = servers.filter(({ url }) => url !== undefined);
    const [url, skin] = [running[n % running.length]?.url, skins[n % skins.length]];
    const fault = url !== undefined && skin && (await read(new Askers(url, store, { isOurs: false }), skin));
    if (fault === '') count++;
    else if (fault) onFault(fault);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return count;
}

/** Milliseconds between two skins: without them the servers would do little else. */
const PAUSE = 50;

/** What is wrong with the answer; undefined: there is none, because the server has been stopped. */
async function read(askers: Askers, skin: PlainRow): Promise<string | undefined> {
  const path = `/v2/skins/${skin['uuid']}`;
  const heard = await askers
    .owning(skin)
    .get(path)
    .catch(() => undefined);
  if (!heard) return undefined;
  const { value, signature } = askers.dataOf(skin);
  const isIt = isDeepStrictEqual(heard.body.skin?.texture.data, { value, signature });
  return isIt ? '' : `${path} → ${heard.status}: ${JSON.stringify(heard.body)}`;
}
