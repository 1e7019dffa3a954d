/** How many letters may be wrong before a word is another word. */
const maxDistance = 3;

/** `: did you mean SG?` where one of the names is close to the text, otherwise nothing. */
export function didYouMean(text: string, names: readonly string[]): string {
  if (text.length > 64) return '';
  const distances = names.map((name) => ({ name, distance: distance(text.toLowerCase(), name.toLowerCase()) }));
  const [closest] = distances.sort((a, b) => a.distance - b.distance);
  // Of short names any other is close.
  const allowed = Math.min(maxDistance, Math.floor(text.length / 3));
  return closest && closest.distance <= allowed ? `: did you mean ${closest.name}?` : '';
}

/** Levenshtein's: how many letters have to be added, left out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
