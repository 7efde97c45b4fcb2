/** A name and the full stop of the sentence that it ends; quoted if the name itself ends with a full stop. */
export function endSentence(name: string): string {
  return name.endsWith('.') ? `"${name}".` : `${name}.`;
}
