/**
 * What a reader would get if the value were sent as JSON: a copy without fields that are undefined. It shares nothing
 * with the value. @throws TypeError for what JSON cannot express
 */
export function copyJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return copyScalar(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return copyJson(toJSON.call(value));
  if (Array.isArray(value)) return value.map((entry) => copyJson(entry) ?? null);
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const copied = copyJson(field);
    if (copied !== undefined) setField(copy, name, copied);
  }
  return copy;
}

function copyScalar(value: unknown): unknown {
  if (typeof value === 'bigint') throw new TypeError('JSON has no big integers.');
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'number') return value;
  return Number.isFinite(value) ? value + 0 : null; // JSON has no -0
}

function setField(copy: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') copy[name] = value;
  else Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true });
}
