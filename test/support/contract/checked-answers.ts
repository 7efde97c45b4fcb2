import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { isV1Address } from '../../../src/server/http/route.ts';
import { type Contract, type Exchange, faultOf, type KnownAnswer } from './contract.ts';
import { loadContracts } from './contracts.ts';
import { DEVIATIONS, inPublishedWords } from './deviations.ts';
import { unknownCodes } from './seen-codes.ts';
import { Templates } from './templates.ts';

/** The address of the start page, also as a proxy sends it. */
const START = /^(?:https?:\/\/[^/?]*)?\/*(?:\?|$)/i;

/** Checks answers against our own description and, where it applies, the published one. */
export class AnswerChecker {
  readonly #own: Contract;
  readonly #published: Contract;
  readonly #templates: Templates;

  readonly #codes: boolean;

  /** `codes`: whether docs/internals/compatibility.md must list each error code for the endpoint. */
  constructor({ codes = true }: { readonly codes?: boolean } = {}) {
    this.#codes = codes;
    const { own, published } = loadContracts();
    this.#own = own;
    this.#published = published;
    this.#templates = new Templates(Object.keys(own.operations));
  }

  /** The requested operation, such as `get /v2/skins/{uuid}`. */
  operationOf(method: string, address: string): string | undefined {
    return this.#templates.find(method, address.replace(/^\/+/, '/')); // as services parse it
  }

  /** The faults of an answer, each with the request. */
  faults(exchange: Exchange): string[] {
    const { method, address, status } = exchange;
    if (method === 'OPTIONS') return []; // a preflight, which no description covers
    if (isPage(exchange) && START.test(address)) return [];
    const operation = this.operationOf(method, address);
    const found = operation === undefined ? this.#astray(exchange) : this.#known(operation, exchange);
    return found.map((fault) => `${method} ${address} → ${status}: ${fault}`);
  }

  #known(operation: string, exchange: Exchange): string[] {
    const answer = this.#own.operations[operation]?.[exchange.status];
    if (!answer) return ['our description does not list this status'];
    return [
      ...ownFaults(this.#own, answer, exchange),
      ...this.#publishedFaults(operation, exchange),
      ...(this.#codes ? unknownCodes(operation, exchange) : []),
    ];
  }

  /** For an unknown address, only a refusal in our format is allowed. */
  #astray(exchange: Exchange): string[] {
    const isOld = isV1Address(exchange.address);
    const answer = this.#own.operations[isOld ? 'get /get/delay' : 'get /v2/me']?.[403];
    if (!answer || exchange.status < 400) return ['our description does not list this address'];
    if (exchange.status === 404 && isPage(exchange)) return []; // for a browser
    return ownFaults(this.#own, answer, exchange);
  }

  #publishedFaults(operation: string, { status, bytes }: Exchange): string[] {
    const answers = this.#published.operations[operation];
    // The published description omits slow requests.
    if (!answers || status < 200 || status === 304 || status === 408) return [];
    const text = inPublishedWords(Buffer.from(bytes).toString('utf8'));
    const body = JSON.parse(text) as Record<string, unknown>;
    const deviation = DEVIATIONS.find(
      (one) =>
        (one.operation ?? operation) === operation &&
        one.statuses.includes(status) &&
        (one.holds ? one.holds(body) : !answers[status]),
    );
    const answer = deviation ? this.#published.responses[deviation.as] : answers[status];
    if (!answer) return ['the published description does not list this status'];
    const fault = faultOf(this.#published, answer, body);
    return fault === undefined ? [] : [`as published: ${fault}`];
  }
}

function textOf({ headers, bytes }: Pick<Exchange, 'headers' | 'bytes'>): string {
  const body = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : Buffer.from(bytes);
  return body.toString('utf8');
}

function isPage({ headers }: Exchange): boolean {
  return String(headers['content-type']).startsWith('text/html');
}

function ownFaults(contract: Contract, answer: KnownAnswer, { method, headers, bytes }: Exchange): string[] {
  const missing = answer.headers.filter((name) => headers[name.toLowerCase()] === undefined);
  const faults = missing.map((name) => `it has no header ${name}`);
  const types = Object.keys(answer.contents);
  if (method === 'HEAD' || types.length === 0)
    return bytes.length === 0 ? faults : [...faults, 'it has a body'];
  const type = String(headers['content-type']).split(';')[0] ?? '';
  if (!types.includes(type)) return [...faults, `it is ${type}`];
  if (type !== 'application/json') return faults;
  const fault = faultOf(contract, answer, JSON.parse(textOf({ headers, bytes })));
  return fault === undefined ? faults : [...faults, fault];
}

let checker: AnswerChecker | undefined;

/** Fails the test unless an answer matches its description. */
export function expectAsDescribed(exchange: Exchange): void {
  checker ??= new AnswerChecker();
  expect(checker.faults(exchange)).toEqual([]);
}
