/**
 * Rows keep their places while they change: whoever reads a list must not lose the line. What is new comes behind; what
 * left is gone.
 *
 * @returns the items in the order that was shown, and how many of them stand elsewhere by now
 */
export function keepOrder<Item extends { id: string }>(
  shown: readonly string[],
  items: readonly Item[],
): { rows: Item[]; moved: number } {
  const byId = new Map(items.map((item) => [item.id, item]));
  const kept = shown.flatMap((id) => byId.get(id) ?? []);
  const added = items.filter(({ id }) => !shown.includes(id));
  const rows = [...kept, ...added];
  return { rows, moved: rows.filter(({ id }, place) => items[place]?.id !== id).length };
}
