/**
 * Returns the creation time of the feed, in milliseconds since 1970. All calls of the feed are later. The time is read
 * from the id, because a uuid v7 begins with its time.
 * @returns `nowMs` if the id is not a uuid v7
 */
export function feedCreatedMs(feedId: string, nowMs: number): number {
  return feedId[14] === '7' ? Number.parseInt(feedId.slice(0, 8) + feedId.slice(9, 13), 16) : nowMs;
}
