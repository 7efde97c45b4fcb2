/** A name at the end of a sentence, with the full stop: quoted where its own last character would pass for that. */
export function lastWord(name: string): string {
  return name.endsWith('.') ? `"${name}".` : `${name}.`;
}
