export interface Part {
  /** Nothing may run beside it. */
  alone?: boolean;
}

/**
 * Runs the parts in their order, so many at once; one that has to be alone waits until the others have ended, and what
 * comes behind it waits for its end.
 */
export async function inLanes<One extends Part>(
  parts: readonly One[],
  lanes: number,
  run: (part: One) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for (const part of parts) {
    const room = part.alone ? 1 : lanes;
    while (running.size >= room) await Promise.race(running);
    const one = run(part).finally(() => running.delete(one));
    running.add(one);
    if (part.alone) await one;
  }
  await Promise.all(running);
}
