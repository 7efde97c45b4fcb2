/** The smoothed duration of a short request, milliseconds; 0: none was made. */
export class RoundTrip {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  took(ms: number): void {
    this.#ms = this.#ms === 0 ? ms : 0.7 * this.#ms + 0.3 * ms;
  }
}
