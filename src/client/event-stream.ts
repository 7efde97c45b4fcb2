import { UnreadableAnswerError } from './errors.ts';

/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** `message` when the stream does not say. */
  readonly type: string;
  readonly data: string;
  /** The last id the stream has given so far; empty when none. */
  readonly id: string;
}

const BYTE_ORDER_MARK = '\uFEFF';
/** Characters of a line, and of an event's data in all its lines. */
const MAX_LINE = 1024 * 1024;
const MAX_DATA = 8 * 1024 * 1024;

/** Reads a stream of server-sent events by its standard (WHATWG HTML, 9.2.6), whatever pieces it comes in. */
export class EventStreamParser {
  /** Holds a character that is cut in two. Node's takes two byte order marks off when the first one is cut. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #isAtStart = true;
  /** The line that has begun, in its pieces. */
  #line = '';
  /** The piece before ended with CR: a LF that follows belongs to it. */
  #isAfterReturn = false;
  #type = '';
  #data: string[] = [];
  #dataLength = 0;
  #id = '';

  /** The events that are complete with this piece. @throws UnreadableAnswerError when a line is too long */
  push(bytes: Uint8Array): ServerSentEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    if (this.#isAtStart && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    this.#isAtStart = false;
    if (this.#isAfterReturn && text.startsWith('\n')) text = text.slice(1);
    this.#isAfterReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    const events: ServerSentEvent[] = [];
    for (const [index, piece] of lines.entries()) {
      this.#line += piece;
      if (this.#line.length > MAX_LINE) throw tooLong();
      if (index === lines.length - 1) break;
      const event = this.#take(this.#line);
      if (event) events.push(event);
      this.#line = '';
    }
    return events;
  }

  /** One line; the event that an empty one completes. */
  #take(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined; // a comment
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1);
    this.#set(field, value.startsWith(' ') ? value.slice(1) : value);
    return undefined;
  }

  /** Fields of other names are passed over, `retry` too: when to come again is the caller's business. */
  #set(field: string, value: string): void {
    if (field === 'event') this.#type = value;
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    if (field !== 'data') return;
    this.#data.push(value);
    this.#dataLength += value.length + 1;
    if (this.#dataLength > MAX_DATA) throw tooLong();
  }

  #dispatch(): ServerSentEvent | undefined {
    const { length } = this.#data;
    const event = { type: this.#type || 'message', data: this.#data.join('\n'), id: this.#id };
    this.#type = '';
    this.#data = [];
    this.#dataLength = 0;
    return length === 0 ? undefined : event;
  }
}

function tooLong(): UnreadableAnswerError {
  return new UnreadableAnswerError('An event of the service is too long.', { status: 200 });
}
