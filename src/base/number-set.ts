const FIRST_SLOTS = 1024;
/** The largest part of the slots that may be taken. */
const FULLEST = 0.6;
const FREE = 0;

/**
 * A set of whole numbers from 0 up to 2 ** 53. A `Set` keeps each large number as an object of its own: five times the
 * memory, and thousands of objects for the garbage collector to copy.
 */
export class NumberSet {
  /** Each number plus 1. */
  #slots = new Float64Array(FIRST_SLOTS);
  #size = 0;

  has(number: number): boolean {
    return this.#slots[slotOf(this.#slots, number + 1)] === number + 1;
  }

  /** Returns whether it is new. */
  add(number: number): boolean {
    const slot = slotOf(this.#slots, number + 1);
    if (this.#slots[slot] !== FREE) return false;
    this.#slots[slot] = number + 1;
    if (++this.#size > this.#slots.length * FULLEST) this.#grow();
    return true;
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const stored of this.#slots) if (stored !== FREE) larger[slotOf(larger, stored)] = stored;
    this.#slots = larger;
  }
}

/** The slot of a stored number, or the free slot for it. */
function slotOf(slots: Float64Array, stored: number): number {
  const mask = slots.length - 1;
  const mixed = Math.imul(stored, 0x9e3779b1);
  let slot = (mixed ^ (mixed >>> 15)) & mask;
  while (slots[slot] !== FREE && slots[slot] !== stored) slot = (slot + 1) & mask;
  return slot;
}
