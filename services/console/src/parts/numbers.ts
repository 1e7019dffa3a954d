const thousands = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** An exact count, with thousands commas: `2,213,170`. */
export function count(value: number): string {
  return thousands.format(value);
}

/** A count with its unit, which is told in the singular for one: `1 user`, `2,213,170 users`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/**
 * A share in percent, without the sign: `62.8`, `0.55`. Never a round figure that is not true: what is not all stays below 100, what is not
 * nothing stays above 0. A dash where there is nothing to take a share of.
 */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const exact = (part / whole) * 100;
  if (exact === 0 || exact === 100) return String(exact);
  if (exact < 0.01) return '< 0.01';
  // Cut, not rounded, near the top: 99.97 % is not "100.0 %".
  if (exact > 99.9 && exact < 100) return '99.9';
  return exact < 1 ? exact.toFixed(2) : exact.toFixed(1);
}

/** Users per second: exact below ten, whole above. */
export function rate(perSecond: number): string {
  return perSecond > 0 && perSecond < 9.95 ? perSecond.toFixed(1) : count(Math.round(perSecond));
}

/** How the second value differs from the first: `+ 5.1`, `− 14`, `0`. */
export function signed(difference: number, digits = 0): string {
  const size = Math.abs(difference).toFixed(digits);
  if (Number(size) === 0) return '0';
  return `${difference < 0 ? '−' : '+'} ${count(Math.trunc(Number(size)))}${digits > 0 ? size.slice(size.indexOf('.')) : ''}`;
}

const unitsMs = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/**
 * A length of time: `212 ms`, `12 s`, `1 h 38 min`.
 *
 * @param parts how many units at most; the rest is cut off
 */
export function duration(ms: number, parts = 2): string {
  if (ms < 1000) return `${count(Math.max(0, Math.round(ms)))} ms`;
  let rest = Math.floor(ms / 1000) * 1000;
  const first = unitsMs.findIndex(([, size]) => rest >= size);
  const told: string[] = [];
  for (const [unit, size] of unitsMs.slice(first, first + parts)) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) told.push(`${amount} ${unit}`);
  }
  return told.join(' ');
}
