import type { Upload } from './multipart.ts';

/** What a request sends: a JSON value, or a form with one file. */
export type RequestContent =
  | { readonly json: unknown }
  | { readonly fields: Readonly<Record<string, string>>; readonly file: Upload };

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

/** The head of an answer, and its body: a JSON value that the receiver may keep and change, or bytes to read. */
export interface TransportAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: { readonly json: unknown } | { readonly bytes: AsyncIterable<Uint8Array> };
}

/**
 * Carries requests to a service: over the network (`NetworkTransport`), or to an embedded service by a call inside the
 * process. It does not retry, follow redirects or interpret what it carries. Whoever made it closes it.
 */
export interface Transport {
  /**
   * Sends a request once and resolves with the head of its answer, whatever the status.
   * @throws the signal's reason when aborted; an error whose `code` says why there is no answer
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
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
