/**
 * Keeps rows in their places while the list changes, so that readers do not lose their line. New rows are added at the
 * end, missing rows are removed.
 * @returns the items in the shown order, and the number of items whose place in the current order differs
 */
export function keepOrder<Item extends { id: string }>(
  displayedIds: readonly string[],
  items: readonly Item[],
): { rows: Item[]; moved: number } {
  const byId = new Map(items.map((item) => [item.id, item]));
  const kept = displayedIds.flatMap((id) => byId.get(id) ?? []);
  const added = items.filter(({ id }) => !displayedIds.includes(id));
  const rows = [...kept, ...added];
  return { rows, moved: rows.filter(({ id }, place) => items[place]?.id !== id).length };
}
