/**
 * The minimum for an HTTP server: a bare Fastify route that reads the body and returns a given number of bytes of JSON.
 * Prints its address; `node bench/bare.ts BYTES`.
 */
import Fastify from 'fastify';

const bytes = Number(process.argv[2]);
const answer = JSON.stringify({ fill: 'x'.repeat(Math.max(0, bytes - '{"fill":""}'.length)) });

const app = Fastify();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.route({
  method: ['GET', 'POST'],
  url: '/',
  handler: (_request, reply) => reply.type('application/json; charset=utf-8').send(answer),
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ url, key: '-' })}\n`);
