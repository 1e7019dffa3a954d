export interface GroupCommitTerms {
  /** Shortest time from the begin of one group to the begin of the next, in milliseconds. */
  gapMs: number;
  /** Groups that may be written at once. */
  atOnce: number;
}

/**
 * Writes items in groups. Items that arrive while earlier groups are written form the next group. The returned function
 * resolves when the group of its item is committed, and rejects if the commit failed.
 */
export function createGroupCommit<Item>(
  commit: (items: readonly Item[]) => Promise<void>,
  { gapMs, atOnce }: GroupCommitTerms,
): (item: Item) => Promise<void> {
  let waiting: { item: Item; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = 0;
  let lastBegunMs = 0;

  function schedule(): void {
    if (timer !== undefined || waiting.length === 0 || writing >= atOnce) return;
    timer = setTimeout(() => void writeGroup(), Math.max(0, lastBegunMs + gapMs - performance.now()));
  }

  async function writeGroup(): Promise<void> {
    timer = undefined;
    const group = waiting;
    waiting = [];
    writing++;
    lastBegunMs = performance.now();
    try {
      await commit(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    writing--;
    schedule();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}
