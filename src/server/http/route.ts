import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Note } from '../../protocol/envelope.ts';
import type { Caller } from '../service/caller.ts';
import type { ServiceContext } from '../service/context.ts';

/** A request once its caller is known and its address is understood. */
export interface Call<Params = unknown, Query = unknown, Headers = unknown> {
  readonly context: ServiceContext;
  readonly request: FastifyRequest;
  readonly caller: Caller;
  /** What every answer to this request is to warn of. */
  readonly warnings: readonly Note[];
  readonly params: Params;
  readonly query: Query;
  /** Those of the request's headers that the route has a schema for, lower case. */
  readonly headers: Headers;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One endpoint: the app is built from these, and so is /openapi.json. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Addresses that mean the same; the first is the one documented. */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** Schemas of the body by content type, as documented; the handler reads the body itself. */
  readonly bodies?: Readonly<Record<string, z.ZodType>>;
  /** Schemas of the answers by status. A string is a content type that is not JSON. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>;
  /** False where nobody needs to be known. */
  readonly authenticated: boolean;
  readonly handle: (call: Call) => Promise<Answer>;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : unknown;

/** Ties a handler's `params`, `query` and `headers` to the schemas they are parsed with. */
export function route<
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  H extends z.ZodObject | undefined,
>(
  spec: Omit<Route, 'params' | 'query' | 'headers' | 'handle' | 'authenticated'> & {
    readonly params?: P;
    readonly query?: Q;
    readonly headers?: H;
    readonly authenticated?: boolean;
    readonly handle: (call: Call<Parsed<P>, Parsed<Q>, Parsed<H>>) => Promise<Answer>;
  },
): Route {
  return { authenticated: true, ...spec } as Route;
}
