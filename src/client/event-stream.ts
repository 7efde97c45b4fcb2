import { UnreadableAnswerError } from './errors.ts';

/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** `message` unless the stream sets it. */
  readonly type: string;
  readonly data: string;
  /** The last id the stream has sent so far; empty if it sent none. */
  readonly id: string;
}

const BYTE_ORDER_MARK = '\uFEFF';
/** Maximum characters of a line, and of an event's data over all its lines. */
const MAX_LINE = 1024 * 1024;
const MAX_DATA = 8 * 1024 * 1024;

/** Parses a stream of server-sent events (WHATWG HTML, 9.2.6), however it is split into chunks. */
export class EventStreamParser {
  /** Buffers a character split between chunks. Node's decoder strips two byte order marks if the first one is split. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #isAtStart = true;
  /** The pieces of the unfinished line. */
  #line = '';
  /** The previous chunk ended with CR, so a LF that follows belongs to it. */
  #isAfterReturn = false;
  #type = '';
  #data: string[] = [];
  #dataLength = 0;
  #id = '';

  /** The events completed by this chunk. @throws UnreadableAnswerError when a line is too long */
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

  /** Handles one line and returns the event that an empty line completes. */
  #take(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined; // a comment
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1);
    this.#set(field, value.startsWith(' ') ? value.slice(1) : value);
    return undefined;
  }

  /** Ignores other fields, including `retry`: the caller decides when to reconnect. */
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
