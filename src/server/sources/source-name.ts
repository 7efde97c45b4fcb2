import type { Source } from './source.ts';

/** Characters of a name that are kept. */
const LONGEST = 128;
/** What would move the cursor of a terminal, or turn the text around it. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]+/gu;

/**
 * What its owner knows a source again by: the name of a file without its folders, an address without what may be secret
 * in it, a player. Undefined if there is no such name.
 */
export function nameOfSource(source: Source): string | undefined {
  const name = nameOf(source).replace(UNPRINTABLE, ' ').trim();
  return name === '' ? undefined : [...name].slice(0, LONGEST).join('');
}

function nameOf(source: Source): string {
  switch (source.kind) {
    case 'upload':
      return source.fileName?.split(/[\\/]/).at(-1) ?? '';
    case 'user':
      return source.user;
    case 'url':
      return addressOf(source.url);
  }
}

/** Names of users, passwords and signed queries stay out of the store. A picture in the address itself has no name. */
function addressOf(text: string): string {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.origin + url.pathname : '';
}
