/**
 * Returns the creation time of the feed in milliseconds, which precedes all of its calls: a uuid v7 begins with its
 * time.
 * @returns `nowMs` if the id is not a uuid v7
 */
export function feedBornMs(feedId: string, nowMs: number): number {
  return feedId[14] === '7' ? Number.parseInt(feedId.slice(0, 8) + feedId.slice(9, 13), 16) : nowMs;
}
