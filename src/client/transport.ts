interface Upload {
  readonly bytes: Uint8Array;
  readonly fileName: string;
}

/** What a request sends: a JSON value, a form with one file, or a text of another type. */
export type RequestContent =
  | { readonly json: unknown }
  | { readonly fields: Readonly<Record<string, string>>; readonly file: Upload | undefined }
  | { readonly type: string; readonly text: string };

/** One request, as a transport sends it. */
export interface TransportRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  /** Scheme, host and port. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Names in lower case. The transport adds those that describe the content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content?: RequestContent | undefined;
  /** Aborts the request, or the reading of its answer. */
  readonly signal: AbortSignal;
  /** Milliseconds without a byte after which the answer counts as broken off. A transport that cannot stall ignores it. */
  readonly idle?: number | undefined;
}

/** The head of an answer, and its body, which is yet to be read. */
export interface TransportAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Carries requests to a service: over the network (`NetworkTransport`), or to a function like `fetch`. It does not
 * retry, follow redirects or interpret what it carries. Its creator closes it.
 */
export interface Transport {
  /**
   * Sends a request once and resolves with the head of its answer, whatever the status.
   * @throws the signal's reason when aborted; an error whose `code` says why there is no answer
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
}

/** Answers requests as `fetch` does: an embedded service, for example. */
export type Fetch = (request: Request) => Promise<Response>;

/** Sends requests to a function in place of the network. */
export function transportTo(fetch: Fetch): Transport {
  // Kept until they are over: a `Request` that is forgotten does not hear of its signal.
  const open = new Set<Request>();
  return {
    send: async ({ method, origin, path, headers, content, signal }) => {
      const { type, body } = await encode(content);
      const init = { method, headers: { ...headers, ...type }, body, signal, redirect: 'manual' } as const;
      const request = new Request(origin + path, init);
      const forget = () => void open.delete(request);
      open.add(request);
      try {
        const response = await fetch(request);
        const { status } = response;
        return { status, headers: Object.fromEntries(response.headers), body: read(response, forget) };
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

async function* read({ body }: Response, onEnd: () => void): AsyncGenerator<Uint8Array, void, void> {
  try {
    if (body) yield* body;
  } finally {
    onEnd();
  }
}

/** The body of a request: at most a picture, so it needs no stream. It is what the content was when this was called. */
export async function encode(content: RequestContent | undefined): Promise<{
  readonly type?: { readonly 'content-type': string };
  readonly body: string | Buffer<ArrayBuffer> | null;
}> {
  if (!content) return { body: null };
  if ('json' in content)
    return { type: { 'content-type': 'application/json' }, body: JSON.stringify(content.json) };
  if ('text' in content) return { type: { 'content-type': content.type }, body: content.text };
  const form = new FormData();
  for (const [name, value] of Object.entries(content.fields)) form.append(name, value);
  if (content.file) {
    const { bytes, fileName } = content.file;
    form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/png' }), fileName);
  }
  const encoded = new Response(form);
  const type = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { type, body: Buffer.from(await encoded.arrayBuffer()) };
}

/**
 * What the client uses of an undici dispatcher, such as a `ProxyAgent`. It is not undici's own type, so that a program
 * may have another version of undici.
 */
export interface RequestDispatcher {
  request(options: {
    origin: string;
    path: string;
    method: TransportRequest['method'];
    headers: Record<string, string>;
    body: Buffer | string | null;
    signal: AbortSignal;
    /** Milliseconds. */
    bodyTimeout?: number;
  }): Promise<{
    statusCode: number;
    headers: TransportAnswer['headers'];
    body: AsyncIterable<Uint8Array>;
  }>;
}
