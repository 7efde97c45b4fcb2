import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStream } from '../../../src/client/http.ts';
import type { SkinClient } from '../../../src/client/skin-client.ts';
import { NetworkTransport } from '../../../src/client/transport.ts';
import type { CallOptions, JobEvent, RequestReport } from '../../../src/client/types.ts';
import { ONE_ATTEMPT } from '../../../src/dispatch/session.ts';
import { makeJob, makeSkin, refusal } from '../../support/client/answers.ts';
import {
  cutBefore,
  type Exchange,
  scriptedServer,
  staySilent,
} from '../../support/client/scripted-server.ts';
import { API_KEY, failureOf, testClient } from '../../support/client/test-client.ts';

const EVENTS = 'GET /v2/queue/events';
const job = makeJob();
const jobs = 'event: jobs\ndata: {"jobs":[]}\n\n';

/** A stream that writes this and then does something with the connection. */
function streaming(text: string, then: (response: ServerResponse) => void = (r) => void r.end()): Exchange {
  return {
    expect: EVENTS,
    act: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(text, () => then(response));
    },
  };
}

async function heard(
  client: SkinClient,
  call: CallOptions = {},
  events: JobEvent[] = [],
): Promise<JobEvent[]> {
  for await (const event of client.events(call)) events.push(event);
  return events;
}

describe('SkinClient.events', () => {
  test('yields the pending jobs and each job that the service reports, until the stream ends', async () => {
    const done = {
      success: true,
      job: { ...job, status: 'completed', result: makeSkin().uuid },
      skin: makeSkin(),
      messages: [{ code: 'job_completed', message: 'Done.' }],
      links: { self: `/v2/queue/${job.id}` },
    };
    const failed = {
      success: true,
      job: { ...job, status: 'failed' },
      errors: [{ code: 'c', message: 'm' }],
    };
    const text = [
      ': hello\nretry: 1000\n\n',
      `id: 1\nevent: jobs\ndata: ${JSON.stringify({ jobs: [job, { id: 'x', status: 'active' }] })}\n\n`,
      ':\n\n',
      `id: 2\nevent: job\ndata: ${JSON.stringify(done)}\n\n`,
      `id: 3\nevent: job\ndata: ${JSON.stringify(failed)}\n\n`,
    ];
    const { client, server } = await testClient([streaming(text.join(''))]);
    expect(await heard(client)).toEqual([
      { type: 'jobs', jobs: [job, { id: 'x', status: 'processing' }] },
      {
        type: 'job',
        state: {
          job: done.job,
          skin: done.skin,
          errors: [],
          warnings: [],
          messages: done.messages,
          links: done.links,
          rateLimit: undefined,
        },
      },
      {
        type: 'job',
        state: expect.objectContaining({ job: failed.job, skin: undefined, errors: failed.errors }),
      },
    ]);
    expect(server.seen[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: `Bearer ${API_KEY}`,
      'user-agent': expect.stringContaining('skinsmith'),
    });
  });

  test('opens the stream below the path of the service', async () => {
    const { client } = await testClient([{ ...streaming(jobs), expect: 'GET /below/v2/queue/events' }], {
      below: '/below/v2/',
    });
    expect(await heard(client)).toHaveLength(1);
  });

  test('skips events of types that it does not know', async () => {
    const text = 'event: news\ndata: {"a":1}\n\ndata: plain\n\nevent: toString\ndata: x\n\n';
    const { client } = await testClient([streaming(text + jobs)]);
    expect(await heard(client)).toEqual([{ type: 'jobs', jobs: [] }]);
  });

  test.each([
    ['no JSON', 'event: job\ndata: {"job":\n\n'],
    ['no job', 'event: job\ndata: {"success":true}\n\n'],
    ['no list', 'event: jobs\ndata: {"jobs":{}}\n\n'],
    ['a line without end', `event: jobs\ndata: ${'x'.repeat(1024 * 1024)}`],
  ])('throws at an event that is %s', async (_, text) => {
    const { client } = await testClient([streaming(jobs + text, () => {})]);
    const events: JobEvent[] = [];
    expect(await failureOf(heard(client, {}, events))).toMatchObject({
      name: 'UnreadableAnswerError',
      code: 'unreadable_answer',
    });
    expect(events).toHaveLength(1);
  });

  test('throws when the connection is cut, and does not reconnect by itself', async () => {
    const { client, clock } = await testClient([streaming(jobs, (r) => void r.socket?.resetAndDestroy())]);
    const events: JobEvent[] = [];
    expect(await failureOf(heard(client, {}, events))).toMatchObject({
      name: 'NetworkError',
      message: expect.stringMatching(
        /^GET http:\/\/.*\/v2\/queue\/events: the connection was (closed|reset)\.$/,
      ),
    });
    expect([events.length, clock.sleeps]).toEqual([1, []]);
  });

  const unwelcome: [what: string, answer: Partial<Exchange>, failure: object][] = [
    [
      'a refusal',
      { status: 429, json: refusal('concurrency_limit') },
      { name: 'ServiceError', code: 'concurrency_limit' },
    ],
    ['an address that is not there', { status: 404, json: refusal('not_found') }, { code: 'not_found' }],
    ['an HTML page', { status: 502, text: '<html>' }, { name: 'UnreadableAnswerError', status: 502 }],
    [
      'JSON',
      { json: { success: true } },
      { name: 'UnreadableAnswerError', message: /without text\/event-stream/ },
    ],
    ['a redirect', { status: 302, headers: { location: 'http://x.example/' } }, { message: /x\.example/ }],
    ['no answer', { act: cutBefore }, { name: 'NetworkError' }],
    ['silence', { act: staySilent }, { name: 'NetworkError', message: /the request timed out/ }],
  ];
  test.each(unwelcome)('throws at once when it is answered with %s', async (_, answer, failure) => {
    const timeout = answer.act === staySilent ? 300 : 60_000;
    const { client, clock } = await testClient([{ expect: EVENTS, ...answer }], { timeout });
    const { message, ...rest } = failure as { message?: RegExp };
    expect(await failureOf(heard(client))).toMatchObject({
      ...rest,
      ...(message && { message: expect.stringMatching(message) }),
    });
    expect(clock.sleeps).toEqual([]);
  });

  test('shows the key nowhere when a service echoes it', async () => {
    const json = refusal('invalid_api_key', `Unknown key ${API_KEY}.`);
    const { client } = await testClient([{ expect: EVENTS, status: 403, json }]);
    expect(String(await failureOf(heard(client)))).not.toContain(API_KEY);
  });

  test('continues after the timeout for an answer', async () => {
    const stream = Promise.withResolvers<ServerResponse>();
    const script = [streaming(jobs, stream.resolve), { expect: 'GET /v2/me', act: staySilent }];
    const { client } = await testClient(script, { timeout: 300 });
    const events = heard(client);
    const response = await stream.promise;
    // Asked later, and with the same limit.
    expect(await failureOf(client.me(ONE_ATTEMPT))).toMatchObject({ name: 'NetworkError' });
    response.end(jobs);
    expect(await events).toHaveLength(2);
  });

  test('counts a stream as dead when nothing comes for too long', async () => {
    const server = await scriptedServer([streaming(jobs, () => {})]);
    const dispatcher = new Agent();
    onTestFinished(async () => await dispatcher.destroy());
    const path = '/v2/queue/events';
    const request = { method: 'GET', path, timeout: 60_000, idle: 100, type: 'text/event-stream' } as const;
    const transport = new NetworkTransport({ dispatcher });
    const options = {
      origin: server.url,
      transport,
      now: () => 0,
      secret: undefined,
      reportsIgnoredFields: false,
    };
    const { chunks } = await openStream(request, options);
    expect(String((await chunks.next()).value)).toBe(jobs);
    expect(await failureOf(chunks.next())).toMatchObject({
      name: 'NetworkError',
      message: expect.stringContaining('the answer stalled'),
    });
  });

  test.each(['before it is opened', 'while it is opened', 'while it is read'])(
    'ends with the reason of its signal, %s',
    async (when) => {
      const stop = new AbortController();
      const abort = () => stop.abort(new Error('enough'));
      const script: Exchange[] = [];
      if (when === 'before it is opened') abort();
      if (when === 'while it is opened') script.push({ expect: EVENTS, act: abort });
      if (when === 'while it is read') script.push(streaming(jobs, () => {}));
      const { client } = await testClient(script);
      const reading = async () => {
        for await (const _ of client.events({ signal: stop.signal })) setImmediate(abort); // the next is waited for
      };
      expect(await failureOf(reading())).toMatchObject({ message: 'enough' });
    },
  );

  test('closes the connection when the reader stops reading', async () => {
    let closed: Promise<unknown> | undefined;
    const note = (response: ServerResponse) => {
      closed = once(response, 'close');
    };
    const { client } = await testClient([streaming(jobs, note)]);
    for await (const event of client.events()) {
      expect(event.type).toBe('jobs');
      break;
    }
    await closed;
    expect(closed).toBeDefined();
  });

  test('ends without an error when the client is closed', async () => {
    const { client } = await testClient([streaming(jobs, () => {})]);
    const events: JobEvent[] = [];
    for await (const event of client.events()) {
      events.push(event);
      void client.close();
    }
    expect(events).toHaveLength(1);
  });

  test('is reported as it opens, with the status that came', async () => {
    const reports: RequestReport[] = [];
    const onRequest = (report: RequestReport) => void reports.push(report);
    const script = [streaming(jobs), { expect: EVENTS, status: 404, json: refusal('not_found') }];
    const { client } = await testClient(script, { onRequest });
    for await (const _ of client.events()) expect(reports).toHaveLength(1);
    await failureOf(heard(client));
    const line = { method: 'GET', path: '/v2/queue/events', milliseconds: expect.any(Number) };
    expect(reports).toEqual([
      { ...line, status: 200 },
      { ...line, status: 404, error: 'not_found' },
    ]);
  });
});
