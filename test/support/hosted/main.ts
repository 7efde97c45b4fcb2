/**
 * The hosted-like service as a program of its own: options as one JSON argument, `{"url","key"}` as first line
 * of its output, what it recorded under GET /_records. Ends with SIGTERM or SIGINT.
 */

import { HostedService } from './hosted-service.ts';
import { parseOptions } from './options.ts';

const service = await HostedService.start(parseOptions(process.argv[2] ?? '{}'));
process.stdout.write(`${JSON.stringify({ url: service.url, key: service.key })}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void service.close());
