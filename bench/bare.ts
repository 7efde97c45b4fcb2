/**
 * The minimum for an HTTP server: a bare Hono route that reads the body and returns a given number of bytes of JSON.
 * Prints its address; `node bench/bare.ts BYTES`.
 */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const bytes = Number(process.argv[2]);
const answer = JSON.stringify({ fill: 'x'.repeat(Math.max(0, bytes - '{"fill":""}'.length)) });

const app = new Hono();
app.on(['GET', 'POST'], '/', async (c) => {
  if (c.req.method === 'POST') await c.req.arrayBuffer();
  return c.body(answer, 200, { 'content-type': 'application/json; charset=utf-8' });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, key: '-' })}\n`);
});
