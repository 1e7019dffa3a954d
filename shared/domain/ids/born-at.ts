/**
 * When the feed was made, which no call of it can precede: a uuid v7 begins with its time. @returns `nowMs` where it is
 * none
 */
export function feedBornMs(feedId: string, nowMs: number): number {
  return feedId[14] === '7' ? Number.parseInt(feedId.slice(0, 8) + feedId.slice(9, 13), 16) : nowMs;
}
