/** Number of samples kept, which show how far values spread; older ones are dropped. */
const KEPT = 48;
/** The last of them tell what is usual: a service may become slower or faster. */
const RECENT = 16;

/** The last few samples of one quantity. */
export class RecentSamples {
  #samples: readonly number[] = [];

  add(sample: number): void {
    this.#samples = [...this.#samples, sample].slice(-KEPT);
  }

  get count(): number {
    return this.#samples.length;
  }

  get least(): number | undefined {
    return this.#quantile(0);
  }

  get median(): number | undefined {
    return this.#quantile(0.5);
  }

  /** An upper bound of most samples, so that a poll aimed at it finds the whole wave. */
  get high(): number | undefined {
    return this.#quantile(0.9);
  }

  get spread(): number {
    return (this.#quantile(0.9) ?? 0) - (this.#quantile(0.1) ?? 0);
  }

  /** The average amount by which samples above `least` exceed `value`; half of `value` beyond all samples. */
  meanExcess(value: number, least: number): number {
    const left = this.#samples.filter((sample) => sample > least);
    if (left.length === 0) return Math.max(0, value - least) / 2;
    return left.reduce((sum, sample) => sum + Math.max(0, value - sample), 0) / left.length;
  }

  #quantile(q: number): number | undefined {
    const sorted = this.#samples.slice(-RECENT).toSorted((a, b) => a - b);
    return sorted[Math.floor(q * (sorted.length - 1) + 0.5)];
  }
}
