import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { ServiceContext } from '../../service/context.ts';
import { routeOf } from './api.ts';
import { type LogAddresses, type LogLevel, logRequest, logsRequests } from './log.ts';

/** A request as its end is reported. */
type Watched = Pick<FastifyRequest, 'method' | 'url' | 'ip' | 'log' | 'visit'> &
  Partial<Pick<FastifyRequest, 'routeOptions'>>;

/** Reports a request once it is over, whichever side ended it. */
export type Watch = (request: Watched, response: ServerResponse) => void;

interface WatchOptions {
  readonly context: Pick<ServiceContext, 'clock' | 'observer'>;
  readonly logLevel: LogLevel;
  readonly logAddresses: LogAddresses;
}

export function requestWatch({ context, logLevel, logAddresses: addresses }: WatchOptions): Watch {
  const { clock, observer } = context;
  const isLogged = logsRequests(logLevel);
  return (request, response) => {
    const start = clock.monotonic();
    response.once('close', () => {
      const milliseconds = clock.monotonic() - start;
      const { method, visit } = request;
      observer.requestAnswered({
        route: routeOf(request),
        method,
        status: response.statusCode,
        milliseconds,
      });
      const caller = visit?.admission?.caller;
      if (isLogged) logRequest({ request, response, caller, milliseconds, addresses });
    });
  };
}
