import { Agent, request } from 'undici';
import { expect, onTestFinished } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/protocol/errors.ts';
import { expectAsDescribed } from '../contract/checked-answers.ts';
import type { Body } from './answer-body.ts';
import { EventReader } from './event-reader.ts';
import { INDISCREET } from './indiscreet.ts';

export interface Heard {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;
  readonly body: Body;
}

interface CallerOptions {
  readonly key?: string | undefined;
  /** Loopback address to call from. */
  readonly address?: string | undefined;
  /** Folder that no answer may name. */
  readonly dataDir?: string;
  /** False for another service: its answers are its own affair. */
  readonly isOurs?: boolean;
}

type Headers = Record<string, string>;

/** Someone who calls the service over HTTP. Every answer must be as it is described, and is looked at for what it must not tell. */
export class TestCaller {
  readonly url: string;
  readonly #options: CallerOptions;

  constructor(url: string, options: CallerOptions = {}) {
    this.url = url;
    this.#options = options;
  }

  async get(path: string, headers: Headers = {}): Promise<Heard> {
    return await this.send('GET', path, { headers });
  }

  async json(path: string, content: unknown, headers: Headers = {}): Promise<Heard> {
    const body = JSON.stringify(content);
    return await this.send('POST', path, {
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  async patch(path: string, content: unknown): Promise<Heard> {
    const headers = { 'content-type': 'application/json' };
    return await this.send('PATCH', path, { body: JSON.stringify(content), headers });
  }

  async put(path: string, content: unknown): Promise<Heard> {
    const headers = { 'content-type': 'application/json' };
    return await this.send('PUT', path, { body: JSON.stringify(content), headers });
  }

  /** Multipart with the PNG in a part `file`. */
  async upload(path: string, png: Uint8Array, fields: Record<string, string> = {}): Promise<Heard> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'skin.png');
    return await this.form(path, form);
  }

  async form(path: string, form: FormData): Promise<Heard> {
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const body = Buffer.from(await encoded.arrayBuffer());
    return await this.send('POST', path, { body, headers: { 'content-type': type } });
  }

  async send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'HEAD' | 'PUT' | 'OPTIONS',
    path: string,
    { body, headers = {} }: { body?: Buffer | string; headers?: Headers } = {},
  ): Promise<Heard> {
    const answer = await request(`${this.url}${path}`, {
      method,
      headers: this.#headers(headers),
      body: body ?? null,
      dispatcher: sharedAgent(this.#options.address),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const { statusCode: status, headers: heard } = answer;
    if (this.#options.isOurs !== false) {
      expectAsDescribed({ method, address: path, status, headers: heard, bytes });
    }
    return this.#heard(status, heard, bytes);
  }

  /** Opens a stream of events; it is closed when the test ends. */
  async events(path = '/v2/queue/events', more: Headers = {}): Promise<EventReader> {
    const agent = agentFrom(this.#options.address);
    const answer = await request(`${this.url}${path}`, { headers: this.#headers(more), dispatcher: agent });
    const reader = new EventReader(answer, async () => await agent.destroy());
    onTestFinished(async () => await reader.close());
    return reader;
  }

  /** An empty one is left out. */
  #headers(headers: Headers = {}): Headers {
    const { key } = this.#options;
    const all = {
      'user-agent': 'skinsmith-tests/1',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  }

  #heard(status: number, headers: Heard['headers'], bytes: Buffer): Heard {
    if (!String(headers['content-type']).startsWith('application/json')) {
      return { status, headers, bytes, body: {} as Body };
    }
    const text = bytes.toString('utf8');
    expect(text).not.toMatch(INDISCREET);
    if (this.#options.dataDir !== undefined) expect(text).not.toContain(this.#options.dataDir);
    return { status, headers, bytes, body: text === '' ? ({} as Body) : (JSON.parse(text) as Body) };
  }
}

/** By the loopback address that is called from. */
const sharedAgents = new Map<string | undefined, Agent>();

/** One whose connections later requests use, too: to open one takes several times as long as a request. */
function sharedAgent(address: string | undefined): Agent {
  const agent = sharedAgents.get(address) ?? agentFrom(address);
  sharedAgents.set(address, agent);
  return agent;
}

function agentFrom(address: string | undefined): Agent {
  return new Agent(address === undefined ? {} : { localAddress: address });
}

/** Status, code and shape of an answer that refuses. */
export function expectRefusal(heard: Heard, code: ErrorCode, status: number = ERRORS[code].status): void {
  expect({ status: heard.status, code: heard.body.errors?.[0]?.code }).toEqual({ status, code });
  const { success, errors, warnings, messages, links, rateLimit, ...rest } = heard.body;
  expect({ success, messages, rest }).toEqual({ success: false, messages: [], rest: {} });
  for (const note of [...errors, ...warnings]) {
    expect(note).toEqual({
      code: expect.stringMatching(/^\w+$/),
      message: expect.stringMatching(/\S/),
      ...(note.path && { path: expect.any(Array) }),
    });
  }
  expect(links).toBeTypeOf('object');
  if (heard.status === 429) {
    expect(rateLimit).toBeDefined();
    expect(heard.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  }
}
