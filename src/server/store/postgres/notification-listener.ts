import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import { backOff, systemClock } from '../../../base/clock.ts';
import type { Notifier } from '../db.ts';
import { StoreClient } from './client.ts';

const CHANNEL = 'skinsmith';
/** Tells other nodes to check the store again, because earlier notifications of the sender may have been lost. */
const LOOK = 'look';
/** Milliseconds between notifications to itself, and without one before the connection counts as lost. */
const CALL = 5_000;
const DEAF = 12_000;
/** Before the next attempt to connect. */
const RECONNECTING = { first: 100, longest: 10_000 };

export interface ListenerTimes {
  readonly call: number;
  readonly deaf: number;
}

/**
 * Receives the notifications of other nodes (LISTEN) on its own connection, which it reopens whenever it is lost. It
 * notifies itself regularly, because nothing else reveals a half-open connection or one through a pooler.
 */
export class NotificationListener implements Notifier {
  readonly #config: ClientConfig;
  readonly #times: ListenerTimes;
  readonly #self = randomBytes(6).toString('hex');
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #onNotification: (text: string) => void = () => {};
  /** Set while connected. */
  #client: Client | undefined;
  #isHeard = false;
  #heardItself = 0;
  #texts: string[] = [];
  #isSending = false;
  #hasMissed = true;

  constructor(config: ClientConfig, times: ListenerTimes = { call: CALL, deaf: DEAF }) {
    this.#config = config;
    this.#times = times;
    this.#running = this.#run();
  }

  get isListening(): boolean {
    return this.#isHeard;
  }

  /** Whether notifications may have been lost since the last call. */
  takeMissed(): boolean {
    const hasMissed = this.#hasMissed;
    this.#hasMissed = false;
    return hasMissed;
  }

  notify(text: string): void {
    this.#texts.push(`${this.#self} ${text}`);
    void this.#send();
  }

  onNotification(listener: (text: string) => void): void {
    this.#onNotification = listener;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let failures = 0;
    while (!signal.aborted) {
      failures = (await this.#listen()) ? 1 : failures + 1;
      await systemClock.sleep(backOff(failures, RECONNECTING, Math.random()), signal).catch(() => {}); // it is to stop
    }
  }

  /** Listens until the connection ends. Returns whether it was connected. */
  async #listen(): Promise<boolean> {
    const socket = new Socket();
    const hangUp = () => socket.destroy();
    const client = new StoreClient({ ...this.#config, stream: () => socket });
    const ended = new Promise((resolve) => socket.once('close', resolve));
    client.on('error', hangUp).on('notification', ({ payload = '' }) => this.#hear(payload));
    this.#stop.signal.addEventListener('abort', hangUp, { once: true });
    let timer: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      timer = setInterval(() => this.#callItself(hangUp), this.#times.call).unref();
      this.#begin(client);
      await ended;
      return true;
    } catch {
      return false; // tried again; callers that need the store get the error
    } finally {
      clearInterval(timer);
      this.#client = undefined;
      this.#isHeard = false;
      this.#stop.signal.removeEventListener('abort', hangUp);
      hangUp();
    }
  }

  #begin(client: Client): void {
    this.#client = client;
    this.#heardItself = performance.now();
    this.#hasMissed = true;
    this.#texts = [];
    this.notify(LOOK); // notifications in the meantime are lost
  }

  #callItself(hangUp: () => void): void {
    if (performance.now() - this.#heardItself > this.#times.deaf) hangUp();
    else this.notify('');
  }

  #hear(payload: string): void {
    const [sender, text] = [payload.slice(0, this.#self.length), payload.slice(this.#self.length + 1)];
    if (sender === this.#self) {
      this.#heardItself = performance.now();
      this.#isHeard = true;
    } else if (text === LOOK) this.#hasMissed = true;
    else if (text !== '') this.#onNotification(text);
  }

  /** Drops what cannot be sent, because the others check the store themselves after a while. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#client && this.#texts.length > 0) {
      const texts = this.#texts.splice(0);
      await this.#client.query(NOTIFY, [CHANNEL, texts]).catch(() => {});
    }
    this.#isSending = false;
  }
}

const NOTIFY = 'select pg_notify($1, text) from unnest($2::text[]) as text';
