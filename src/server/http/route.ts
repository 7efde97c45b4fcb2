import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Note } from '../../protocol/envelope.ts';
import type { Caller } from '../service/caller.ts';
import type { ServiceContext } from '../service/context.ts';
import type { Origins } from '../service/key-bindings.ts';
import type { Cache } from './caching.ts';

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
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Addresses that mean the same; the first is the one documented. */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  /** True where there is something newer to use. */
  readonly deprecated?: boolean;
  /** True where the rate limit counts, or is told: answers have it in their headers. */
  readonly isLimited?: boolean;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** Schemas of the body by content type, as documented; the handler reads the body itself. */
  readonly bodies?: Readonly<Record<string, z.ZodType>>;
  /** Bytes of a JSON body, where more is needed than elsewhere. */
  readonly bodyLimit?: number;
  /** Schemas of the answers by status. A string is a content type that is not JSON, null an answer without a body. */
  readonly answers: Readonly<Record<number, z.ZodType | string | null>>;
  /** Who may keep the answers of a GET; default: `private`. */
  readonly cache?: Cache;
  /** False where nobody needs to be known. */
  readonly authenticated: boolean;
  readonly handle: (call: Call) => Promise<Answer>;
}

/** Where a request comes from and what it says of itself. */
export function originsOf({ ip, headers }: FastifyRequest): Origins {
  const { origin, 'user-agent': agent, 'mineskin-user-agent': standIn } = headers;
  return { address: ip, origin, agents: [agent, standIn === undefined ? undefined : String(standIn)] };
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
