import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GameAddresses } from '../../../src/game/addresses.ts';
import {
  type Answer,
  type BodyShape,
  badImage,
  forbidden,
  notFound,
  page,
  send,
  shaped,
  suspended,
  unauthorized,
} from './answers.ts';
import { changesIn, type LoggedCall } from './call-log.ts';
import { type Call, CHANGES, readCall } from './calls.ts';
import { control } from './control.ts';
import { type Fault, Faults, type Order, type RandomFaults } from './faults.ts';
import { type ApiKind, GameApi } from './game-api.ts';
import { type LoginKind, Microsoft } from './microsoft.ts';
import type { FakeGameOptions } from './options.ts';
import type { Person, PersonPlan } from './people.ts';

const LOGIN: ReadonlySet<string> = new Set(['device_code', 'token', 'xbox', 'xsts', 'login']);

/** The game's services on the loopback network, with faults on request. Everything is in memory. */
export class FakeGame {
  readonly url: string;
  readonly addresses: GameAddresses;
  /** Where logging in begins: as login.live.com, login.microsoftonline.com, user.auth and xsts.auth.xboxlive.com. */
  readonly loginAddresses: Readonly<Record<'live' | 'azure' | 'xbox' | 'xsts', string>>;
  /** Every call, in the order of arrival. */
  readonly calls: LoggedCall[] = [];
  readonly microsoft: Microsoft;
  readonly faults = new Faults();
  readonly accounts: Person[] = [];
  readonly #server: Server;
  readonly #api: GameApi;
  readonly #options: FakeGameOptions;
  readonly #closing = new AbortController();
  #requests = 0;

  private constructor(server: Server, url: string, api: GameApi, options: FakeGameOptions) {
    this.#server = server;
    this.#api = api;
    this.#options = options;
    this.url = url;
    const services = `${url}/services`;
    this.addresses = {
      sessionServer: `${url}/sessionserver`,
      services,
      textures: url,
      publicKeys: `${services}/publickeys`,
      microsoft: `${url}/azure`,
      xbox: `${url}/xbox`,
      xsts: `${url}/xsts`,
      geyser: `${url}/geyser`,
    };
    this.loginAddresses = {
      live: `${url}/live`,
      azure: `${url}/azure`,
      xbox: `${url}/xbox`,
      xsts: `${url}/xsts`,
    };
    const { interval, approvedClients, now = Date.now } = options;
    this.microsoft = new Microsoft(api.people, { interval, approvedClients, now });
    this.faults.randomFaults = options.randomFaults;
    for (let number = 0; number < (options.accounts ?? 0); number++) this.addAccount();
    server.on('request', (message: IncomingMessage, response: ServerResponse) => {
      this.#handle(message, response).catch((error: unknown) => this.#broke(error, message, response));
    });
  }

  /** Starts on a free port of the loopback. */
  static async start(options: FakeGameOptions = {}): Promise<FakeGame> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { signingKeyPath, now = Date.now } = options;
    return new FakeGame(server, url, await GameApi.open(url, { signingKeyPath, now }), options);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** SPKI in base64 DER: what signed profiles verify with. */
  get publicKey(): string {
    return this.#api.signer.publicKey;
  }

  /** Geyser's service, with the players of Bedrock Edition that it knows. */
  get geyser(): GameApi['geyser'] {
    return this.#api.geyser;
  }

  get textures(): GameApi['textures'] {
    return this.#api.textures;
  }

  /** Someone whose account may be used: with a token. */
  addAccount(plan: PersonPlan = {}): Person {
    const person = this.#api.people.add(plan);
    this.#api.people.issueToken(person);
    this.accounts.push(person);
    return person;
  }

  /** A player whom the services know. */
  addPlayer(plan: PersonPlan = {}): Person {
    return this.#api.people.add(plan);
  }

  /** A player tells the game that it joins a server, under the secret that both agreed on. */
  join(person: Person, serverId: string): void {
    this.#api.joined.set(serverId, person);
  }

  /** Revokes the account's tokens. Returns a new one. */
  renewToken(account: Person): string {
    account.tokens = [];
    return this.#api.people.issueToken(account);
  }

  order(order: Order): void {
    this.faults.order(order);
  }

  set randomFaults(randomFaults: RandomFaults | undefined) {
    this.faults.randomFaults = randomFaults;
  }

  /** All changes of skin, of one account or of all. */
  changes(account?: string): readonly LoggedCall[] {
    return changesIn(this.calls, account);
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(message, ++this.#requests);
    if (call.kind === 'control') return send(response, control(this, call));
    const account = this.#accountOf(call);
    const fault = this.faults.next(call, account);
    const { number, kind } = call;
    const logged: LoggedCall = { number, kind, account, fault: fault?.kind, at: this.#now() };
    this.calls.push(logged);
    response.on('close', () => {
      logged.until ??= this.#now();
    });
    await this.#act({ call, response, logged }, fault);
  }

  /** Handles the request as the fault says, and answers. */
  async #act({ call, response, logged }: Incoming, fault: Fault | undefined): Promise<void> {
    const { signal } = this.#closing;
    const process = async () => await this.#process(call, logged, fault);
    const reply = (answer: Answer) => {
      logged.status = answer.status;
      logged.until = this.#now();
      send(response, answer);
    };
    if (fault && 'isDone' in fault && fault.isDone) await process();
    if (fault?.kind === 'slow') await sleep(fault.ms, undefined, { signal });
    if (fault?.kind === 'hangs') return;
    if (fault?.kind === 'cut') return void response.socket?.resetAndDestroy();
    const refusal = fault && this.#refusal(fault, call);
    if (refusal) return reply(refusal);
    const { changeTime = 0 } = this.#options;
    if (changeTime > 0 && CHANGES.includes(call.kind)) await sleep(changeTime, undefined, { signal });
    reply(await process());
  }

  async #process(call: Call, logged: LoggedCall, fault: Fault | undefined): Promise<Answer> {
    if (LOGIN.has(call.kind)) return this.microsoft.answer(call.kind as LoginKind, call);
    const { answer, texture } = await this.#api.answer(call.kind as ApiKind, call, fault);
    logged.texture = texture;
    return answer;
  }

  #refusal(fault: Fault, call: Call): Answer | undefined {
    switch (fault.kind) {
      case 'limited':
        return limited(fault.body, fault.retryAfter);
      case 'unauthorized':
        return unauthorized(fault.body);
      case 'forbidden':
        return forbidden(fault.body);
      case 'missing':
        return notFound('/');
      case 'suspended':
        return this.#suspend(call);
      case 'bad_image':
        return badImage();
      case 'broken':
        return shaped(fault.status, fault.body, {
          error: 'ServiceUnavailable',
          errorMessage: 'Try again later',
        });
      case 'garbled':
        return { status: 200, content: page('Welcome') };
      default:
        return undefined;
    }
  }

  #suspend({ token }: Call): Answer {
    const person = this.#api.people.byToken(token);
    if (person) person.isSuspended = true;
    return suspended();
  }

  #accountOf({ kind, subject, token }: Call): string | undefined {
    return kind === 'profile' ? subject : this.#api.people.byToken(token)?.id;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  /** Ignores callers that have gone away and services that close; anything else is a bug in the imitation. */
  #broke(error: unknown, message: IncomingMessage, response: ServerResponse): void {
    if (this.#closing.signal.aborted || message.socket.destroyed || response.headersSent) response.destroy();
    else response.writeHead(599).end(`The test's own game broke: ${(error as Error).stack}`);
  }
}

interface Incoming {
  readonly call: Call;
  readonly response: ServerResponse;
  readonly logged: LoggedCall;
}

function limited(shape: BodyShape, retryAfter: number | string | undefined): Answer {
  const said = retryAfter === undefined ? [] : [['retry-after', String(retryAfter)]];
  const headers = Object.fromEntries([['x-minecraft-rate-limit-result', 'OVER_LIMIT'], ...said]);
  return { ...shaped(429, shape, { path: '/minecraft/profile' }), headers };
}
