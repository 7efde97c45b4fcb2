import type { FastifyRequest, FastifyServerOptions } from 'fastify';

/** How much is logged; each includes the ones before it. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/**
 * One JSON line per event, on stderr: stdout is data. A request is logged by its path alone; neither
 * headers nor query ever get in, so no key can.
 */
export function loggerOptions(level: LogLevel): FastifyServerOptions['logger'] {
  if (level === 'silent') return false;
  return {
    level,
    stream: process.stderr,
    redact: ['req.headers', 'headers.authorization', '*.secret', '*.apiKey'],
    serializers: { req: describeRequest },
  };
}

function describeRequest(request: FastifyRequest): Record<string, unknown> {
  const path = request.url.split('?', 1)[0];
  return { method: request.method, path, address: request.ip };
}
