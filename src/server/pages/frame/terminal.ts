import type { TerminalLines } from './page.ts';

/** How to do the same from a terminal, with one's key. `path`: of the API. */
export function terminalOf(skinsmith: string, origin: string, path: string, curl = ''): TerminalLines {
  return { skinsmith, curl: `curl ${curl}-H "Authorization: Bearer $SKINSMITH_API_KEY" ${origin}${path}` };
}
