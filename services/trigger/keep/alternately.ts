/** The first, the last, the second, the last but one and so on: what comes late waits no longer than what is old. */
export function* alternately<T>(items: readonly T[]): Generator<T> {
  for (let taken = 0; taken < items.length; taken++) {
    const item = items.at(taken % 2 === 0 ? taken / 2 : -(taken + 1) / 2);
    if (item !== undefined) yield item;
  }
}
