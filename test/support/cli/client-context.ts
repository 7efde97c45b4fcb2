import { systemClock } from '../../../src/base/clock.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { Messages } from '../../../src/cli/terminal/messages.ts';
import type { SkinClient } from '../../../src/index.ts';
import { testIo } from './test-io.ts';

/** What commands work with when the service is this client. */
export function contextWith(client: SkinClient, options: Parameters<typeof testIo>[0] = {}) {
  const { io, out, err } = testIo(options);
  const { signal } = new AbortController();
  const connection = { client, isEmbedded: false, hasKey: true, close: async () => {} };
  const context = {
    io,
    signal,
    flags: {},
    messages: new Messages(io, {}),
    clock: systemClock,
    seenNames: { add: async () => {} },
    settings: async () => ({}),
    connect: async () => connection,
  };
  return { context: context as unknown as CommandContext, out, err };
}
