import { TestCaller } from '../server/test-caller.ts';
import { isFault } from './load.ts';
import type { ServerProcess } from './server-process.ts';

/** Milliseconds between edits: without them the servers would do little else. */
const PAUSE = 50;

interface Editor {
  readonly key: string;
  readonly pick: () => Pick<ServerProcess, 'url'>;
  /** Receives every wrong answer. */
  readonly onFault: (fault: string) => void;
  /** Receives every edit that was read again. */
  readonly onEdit?: () => void;
}

/**
 * Reads its jobs and renames its newest skin, again and again, each time on any of the servers; and reads there or on
 * another one that the skin has that name. Resolves to how often that was so.
 */
export async function editUntil(isOver: () => boolean, editor: Editor): Promise<number> {
  let edits = 0;
  while (!isOver()) {
    const isEdited = await edit(editor, `Name ${edits}`).catch(() => false); // the server has been stopped
    if (isEdited) {
      edits++;
      editor.onEdit?.();
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return edits;
}

async function edit({ key, pick, onFault }: Editor, name: string): Promise<boolean> {
  const call = async (ask: (caller: TestCaller) => ReturnType<TestCaller['get']>) => {
    const { url } = pick();
    if (url === undefined) return undefined;
    const heard = await ask(new TestCaller(url, { key }));
    if (isFault(heard)) onFault(`${heard.status}: ${JSON.stringify(heard.body)}`);
    return heard;
  };
  await call((caller) => caller.get('/v2/queue'));
  const listed = await call((caller) => caller.get('/v2/me/skins'));
  const uuid = listed?.body.skins?.[0]?.uuid;
  if (uuid === undefined) return false;
  const edited = await call((caller) => caller.patch(`/v2/skins/${uuid}`, { name }));
  const read = await call((caller) => caller.get(`/v2/skins/${uuid}`));
  if (edited?.status !== 200 || read?.status !== 200) return false;
  if (read.body.skin?.name !== name) onFault(`It is called ${read.body.skin?.name}, not ${name}.`);
  return true;
}
