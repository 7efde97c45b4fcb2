/**
 * `map` of each item, in the items' order. Up to `atOnce` promises are in flight. Reads an item once the one
 * before it is taken or pending; a finished result never waits for the next item.
 */
export async function* mapAhead<T, R>(
  items: AsyncIterable<T>,
  atOnce: number,
  map: (item: T) => R | Promise<R>,
): AsyncGenerator<R, void, void> {
  const source = items[Symbol.asyncIterator]();
  const ahead: Promise<R>[] = [];
  let next: Promise<IteratorResult<T>> | undefined;
  let isOver = false;
  try {
    while (!isOver || ahead.length > 0) {
      // With nothing else to wait for, it is awaited at once and need not be marked as handled.
      if (!isOver && ahead.length < atOnce) next ??= ahead.length > 0 ? quiet(source.next()) : source.next();
      const [first] = ahead;
      if (first && (!next || (await isFirst(first, next)))) {
        ahead.shift();
        yield await first;
        continue;
      }
      const item = await next!;
      next = undefined;
      isOver = item.done === true;
      if (item.done) continue;
      const mapped = map(item.value);
      if (mapped instanceof Promise) ahead.push(quiet(mapped));
      else if (ahead.length > 0) ahead.push(Promise.resolve(mapped));
      else yield mapped;
    }
  } finally {
    // A slow source settles this only once its item arrives.
    const closed = source.return?.();
    if (!next) await closed;
    else if (closed) quiet(closed);
  }
}

function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {}); // the consumer sees the failure when it awaits; until then it counts as handled
  return promise;
}

async function isFirst(one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> {
  return await Promise.race([one.then(() => true), other.then(() => false)]);
}
