import type { RequestListener } from 'node:http';
import { expect } from 'vitest';
import { type JobAnswer, verifyWebhook } from '../../../src/index.ts';
import { poll } from './poll.ts';
import { type WebServer, webServer } from './web-server.ts';

/** Options that let a server of these tests reach the receivers. */
export const ALLOWED = { allowedNetworks: ['127.0.0.0/8'] };

export interface Receiver extends WebServer {
  /** The first `count` webhooks, and no more, each signed for this key. */
  received(count: number, key: string | undefined): Promise<JobAnswer[]>;
}

const welcome: RequestListener = (_request, response) => void response.end();

/** A server that receives webhooks. */
export async function receiver(answer = welcome, address?: string): Promise<Receiver> {
  const server = await webServer(answer, address);
  return {
    ...server,
    received: async (count, key) => {
      await poll(
        () => server.seen.length,
        (length) => length >= count,
      );
      expect(server.seen).toHaveLength(count);
      return server.seen.map(({ headers, body }) => verifyWebhook({ secretOrKey: key ?? '', headers, body }));
    },
  };
}
