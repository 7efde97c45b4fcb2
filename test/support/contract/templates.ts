/** Finds the operation of an address, like the service itself. */
export class Templates {
  readonly #operations: readonly {
    readonly operation: string;
    readonly method: string;
    readonly parts: string[];
  }[];

  /** @param operations such as `get /v2/skins/{uuid}` */
  constructor(operations: readonly string[]) {
    this.#operations = operations
      .map((operation) => {
        const [method = '', path = ''] = operation.split(' ');
        return { operation, method, parts: path.split('/') };
      })
      // A word of its own goes before a place for any word.
      .sort((a, b) => places(a.parts) - places(b.parts) || b.operation.length - a.operation.length);
  }

  find(method: string, address: string): string | undefined {
    const parts = partsOf(address);
    const found = this.#operations.find(
      (one) => one.method === method.toLowerCase() && parts !== undefined && fits(one.parts, parts),
    );
    return found?.operation;
  }
}

/** Reduces a whole URL, as sent to proxies, to its path. Ignores trailing slashes; malformed paths match nothing. */
function partsOf(address: string): string[] | undefined {
  const [all = ''] = address.split(/[?#]/, 1);
  const path = all.replace(/^https?:\/\/[^/]*/i, '').replace(/\/$/, '') || '/';
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function fits(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length &&
    template.every((word, index) => (isPlace(word) ? fills(word, parts[index]!) : word === parts[index]))
  );
}

/** `{digest}.zip` is a SHA-1 and its extension, any other place a word. */
function fills(place: string, part: string): boolean {
  return place.endsWith('.zip') ? /^[0-9a-f]{40}\.zip$/.test(part) : part !== '';
}

function isPlace(word: string): boolean {
  return word.startsWith('{');
}

function places(template: readonly string[]): number {
  return template.filter(isPlace).length;
}
