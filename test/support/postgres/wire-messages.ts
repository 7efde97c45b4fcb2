/** Codes that stand where a start says which protocol it speaks. */
export const SSL_REQUEST = 80_877_103;
export const CANCEL_REQUEST = 80_877_102;

/** Splits what arrives into whole messages of PostgreSQL's protocol. */
export class WireMessages {
  #rest: Buffer = Buffer.alloc(0);
  /** Before the length: a letter, which only what a client begins with lacks. */
  #letters: 0 | 1;

  constructor(first: 'start' | 'letter') {
    this.#letters = first === 'start' ? 0 : 1;
  }

  /** The start has arrived: letters follow. */
  begin(): void {
    this.#letters = 1;
  }

  *split(data: Buffer): Generator<Buffer> {
    this.#rest = Buffer.concat([this.#rest, data]);
    while (this.#rest.length >= this.#letters + 4) {
      const length = this.#letters + this.#rest.readInt32BE(this.#letters);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      yield message;
    }
  }
}

/** What a client says of itself at the start. */
export function parametersOf(start: Buffer): Map<string, string> {
  const words = start.toString('utf8', 8).split('\0');
  const parameters = new Map<string, string>();
  for (let at = 0; words[at]; at += 2) parameters.set(words[at]!, words[at + 1] ?? '');
  return parameters;
}

export function letterOf(message: Buffer): string {
  return String.fromCharCode(message[0]!);
}

/** Whether this says that no transaction is open any more. */
export function isEndOfTransaction(message: Buffer): boolean {
  return letterOf(message) === 'Z' && message[5] === 'I'.charCodeAt(0);
}

/** An error after which the connection ends. */
export function fatalError(code: string, text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);
  const head = Buffer.from('E0000');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
