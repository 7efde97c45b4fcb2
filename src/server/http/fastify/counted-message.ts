import { IncomingMessage } from 'node:http';

/** Who counts what arrives of a body, whether or not anybody reads it yet. */
export interface BodyCount {
  /** Called with the bytes of each piece. */
  readonly add: (bytes: number) => void;
  /** Called when the body is complete. */
  readonly end: () => void;
}

/** A request whose body can be counted without being read. */
export class CountedMessage extends IncomingMessage {
  count: BodyCount | undefined;

  /** Node calls it with each piece of the body, and with null at its end. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) this.count?.end();
    else this.count?.add(piece.length);
    return super.push(piece, encoding);
  }
}
