/**
 * Yields the first item, the last, the second, the second last and so on, so that new items wait no longer than old
 * ones.
 */
export function* alternately<T>(items: readonly T[]): Generator<T> {
  for (let taken = 0; taken < items.length; taken++) {
    const item = items.at(taken % 2 === 0 ? taken / 2 : -(taken + 1) / 2);
    if (item !== undefined) yield item;
  }
}
