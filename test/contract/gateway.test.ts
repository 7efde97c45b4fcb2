import type { HostedOptions } from '../../src/double/hosted/options.ts';
import {
  GenerationError,
  GenerationPostponed,
  type OpenGenerator,
} from '../../src/server/generators/port.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { openGateway } from '../support/hosted/gateway.ts';
import type { VirtualClock } from '../support/scripted/virtual-clock.ts';
import { drawSkin } from '../support/server/drawn-skins.ts';
import { describeServiceUser } from './service-user.ts';
import type { MakerWorld } from './skin-makers.ts';

/** Attempts at one skin, as jobs have them. */
const MAX_ATTEMPTS = 3;
/** Milliseconds between two looks at whether a worker may begin. */
const IDLE = 50;

async function gatewayWorld(options?: HostedOptions): Promise<MakerWorld> {
  const { clock, hosted, opened, keepPicture } = await openGateway(options);
  const make = async (numbers: readonly number[]) => {
    const workers = new Workers(opened, clock, numbers);
    for (const number of numbers) await keepPicture(number);
    return await workers.run();
  };
  return { clock, hosted, make };
}

function hashOf(number: number): string {
  return pixelHash(drawSkin(number));
}

/** The service's workers, without its queue: each has one skin made after the other. */
class Workers {
  readonly #opened: OpenGenerator;
  readonly #clock: VirtualClock;
  readonly #numbers: number[];
  #running = 0;
  #made = 0;
  #failed = 0;

  constructor(opened: OpenGenerator, clock: VirtualClock, numbers: readonly number[]) {
    this.#opened = opened;
    this.#clock = clock;
    this.#numbers = [...numbers];
  }

  async run(): Promise<{ made: number; failed: number }> {
    await Promise.all(Array.from({ length: this.#opened.workers ?? 1 }, () => this.#work()));
    return { made: this.#made, failed: this.#failed };
  }

  async #work(): Promise<void> {
    while (this.#numbers.length > 0) {
      if (!(await this.#mayBegin())) await this.#clock.sleep(IDLE);
      else await this.#makeNext();
    }
  }

  async #mayBegin(): Promise<boolean> {
    const { generator } = this.#opened;
    const { processing = Number.POSITIVE_INFINITY } = (await generator.bounds?.()) ?? {};
    return ((await generator.pause?.()) ?? 0) <= 0 && this.#running < processing;
  }

  async #makeNext(): Promise<void> {
    const number = this.#numbers.shift();
    if (number === undefined) return;
    this.#running++;
    for (let attempt = 1; !(await this.#isDone(number, attempt)); attempt++);
    this.#running--;
  }

  /** One attempt. */
  async #isDone(number: number, attempt: number): Promise<boolean> {
    try {
      await this.#generate(number);
      this.#made++;
      return true;
    } catch (error) {
      if (!(error instanceof GenerationError)) throw error;
      if (error.isPassing && attempt < MAX_ATTEMPTS) return false;
      this.#failed++;
      return true;
    }
  }

  /** Until it is not postponed. */
  async #generate(number: number): Promise<void> {
    const { generator } = this.#opened;
    const hash = hashOf(number);
    const texture = { owner: 'ann', identity: hash, hash, variant: 'classic', capeHash: null } as const;
    for (;;) {
      try {
        await generator.generate({ ...texture, visibility: 'public' }, new AbortController().signal);
        return await generator.settled?.(hash);
      } catch (error) {
        if (!(error instanceof GenerationPostponed)) throw error;
        await this.#clock.sleep(Math.max(1, error.until - this.#clock.now()));
      }
    }
  }
}

describeServiceUser('A gateway', gatewayWorld);
