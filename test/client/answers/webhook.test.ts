import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { type ReceivedWebhook, verifyWebhook, WebhookError } from '../../../src/index.ts';
import { signWebhook, webhookSecret } from '../../../src/protocol/job.ts';
import { hashSecret } from '../../../src/server/service/authentication.ts';

const KEY = `sksm_${'0123456789abcdef'.repeat(4)}`;
const SECRET = webhookSecret(hashSecret(KEY));
const TIME = 1_767_270_630;
const BODY = JSON.stringify({
  success: true,
  errors: [],
  warnings: [],
  messages: [{ code: 'job_completed', message: 'Grüße' }],
  links: { self: '/v2/queue/a' },
  job: { id: 'a', status: 'completed', timestamp: 1, result: 'b' },
});

function received(
  change: Partial<ReceivedWebhook> = {},
  { body = BODY, time = String(TIME) } = {},
): ReceivedWebhook {
  return { secretOrKey: KEY, headers: headersOf(body, time), body, now: TIME * 1000, ...change };
}

function headersOf(body: string, timestamp: string) {
  const signature = signWebhook(SECRET, { id: 'id', timestamp, body });
  return { 'webhook-id': 'id', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

const GOOD = headersOf(BODY, String(TIME));

test('A signature is that of the Standard Webhooks convention, by its published example', () => {
  const content = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
  };
  expect(signWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', content)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('The secret follows from the API key as docs/webhooks.md describes', async () => {
  expect(SECRET).toBe('whsec_GJUjWILZedklozQdxBNIof9EkEleuh+1jKl4DHxSa38=');
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8');
  const script = /```sh\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
  const { stdout } = await execa('bash', ['-c', script], { env: { SKINSMITH_API_KEY: KEY } });
  expect(stdout).toBe(SECRET);
});

describe('A webhook that is right', () => {
  test('is read as a complete job', () => {
    const state = verifyWebhook(received());
    expect(state).toMatchObject({ job: { id: 'a', status: 'completed', result: 'b' }, errors: [] });
    expect(state.messages[0]?.message).toBe('Grüße');
  });

  test.each<[string, Partial<ReceivedWebhook>]>([
    ['with the secret in place of the key', { secretOrKey: SECRET }],
    ['with its body as bytes', { body: Buffer.from(BODY) }],
    ['with headers as fetch has them', { headers: new Headers(GOOD) }],
    ['with headers in other letters', { headers: uppercased(GOOD) }],
    ['with headers as lists', { headers: listed(GOOD) }],
    ['five minutes late', { now: (TIME + 300) * 1000 }],
    ['five minutes early', { now: (TIME - 300) * 1000 }],
    ['an hour late where that is tolerated', { now: (TIME + 3_600) * 1000, toleranceSeconds: 3_600 }],
    [
      'signed with another key as well',
      { headers: { ...GOOD, 'webhook-signature': `v1,xx v2,yy ${GOOD['webhook-signature']}` } },
    ],
  ])('is taken %s', (_how, change) => {
    expect(verifyWebhook(received(change)).job.id).toBe('a');
  });
});

describe('A webhook is not believed', () => {
  const without = (name: keyof typeof GOOD) => ({ headers: { ...GOOD, [name]: undefined } });
  test.each<[string, Partial<ReceivedWebhook>, RegExp]>([
    ['with another body', { body: `${BODY} ` }, /signature/],
    ['with another id', { headers: { ...GOOD, 'webhook-id': 'other' } }, /signature/],
    ['with another time', { headers: { ...GOOD, 'webhook-timestamp': String(TIME + 1) } }, /signature/],
    ['signed for another key', { secretOrKey: `${KEY}0` }, /signature/],
    ['with another secret', { secretOrKey: 'whsec_AAAA' }, /signature/],
    ['with half a signature', { headers: { ...GOOD, 'webhook-signature': 'v1,AAAA' } }, /signature/],
    ['without an id', without('webhook-id'), /no header webhook-id/],
    ['without a time', without('webhook-timestamp'), /no header webhook-timestamp/],
    ['without a signature', without('webhook-signature'), /no header webhook-signature/],
    ['too late', { now: (TIME + 301) * 1000 }, /300 seconds/],
    ['ahead of time', { now: (TIME - 301) * 1000 }, /300 seconds/],
  ])('%s', (_how, change, message) => {
    expect(() => verifyWebhook(received(change))).toThrow(WebhookError);
    expect(() => verifyWebhook(received(change))).toThrow(message);
  });

  test.each(['x', '1e3', '', ' ', 'Infinity', '-1'])('with the time %j, rightly signed or not', (time) => {
    expect(() => verifyWebhook(received({}, { time }))).toThrow(WebhookError);
  });

  test.each(['', 'no JSON', '[]', '{"job":{}}'])('with the body %j, however it is signed', (body) => {
    expect(() => verifyWebhook(received({}, { body }))).toThrow(/is not a job/);
  });
});

function uppercased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
}

function listed(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}
