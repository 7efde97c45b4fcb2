import type { TerminalLines } from './page.ts';

/**
 * How to do the same from a terminal. `path`: of the API. `options`: of curl. The command names this service, because
 * without that it would go to the one that the machine uses otherwise.
 */
export function terminalOf(command: string, origin: string, path: string, options = ''): TerminalLines {
  return { skinsmith: `${command} --base-url ${origin}`, url: `${origin}${path}`, options };
}

/** The line for curl. Whoever is signed in needs a key there, for what is theirs; the line does not contain it. */
export function curlLine({ url, options }: TerminalLines, isSignedIn: boolean): string {
  const key = isSignedIn && '-H "Authorization: Bearer $SKINSMITH_API_KEY"';
  const address = /[?&]/.test(url) ? `'${url}'` : url;
  return ['curl', options, key, address].filter(Boolean).join(' ');
}
