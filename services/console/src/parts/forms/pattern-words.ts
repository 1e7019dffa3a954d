import { joinWords } from '../words/figures.ts';

const ofOneKind = /^\^\[(?<kinds>[^\]\\^]+)\](?:\{(?<least>\d+),(?<most>\d+)\}|[+*])\$$/;

const ranges = [
  ['A-Za-z', 'letters'],
  ['a-zA-Z', 'letters'],
  ['A-Z', 'capitals'],
  ['a-z', 'lowercase letters'],
  ['0-9', 'digits'],
] as const;

/**
 * Describes a pattern: `letters, digits and . _ -, at most 64` for `^[A-Za-z0-9._-]{1,64}$`. A pattern that is not a
 * list of characters is shown as written.
 */
export function describePattern(pattern: string): string {
  const { kinds, least, most } = ofOneKind.exec(pattern)?.groups ?? {};
  if (kinds === undefined) return `has to match ${pattern}`;
  const names: string[] = [];
  let signs = kinds;
  for (const [range, name] of ranges) {
    if (!signs.includes(range)) continue;
    names.push(name);
    signs = signs.replace(range, '');
  }
  // Only single characters are left. A hyphen between two of them is a range that `ranges` does not name.
  if (/.-./.test(signs)) return `has to match ${pattern}`;
  const all = signs === '' ? names : [...names, Array.from(signs).join(' ')];
  if (most === undefined) return joinWords(all);
  return `${joinWords(all)}; ${Number(least) > 1 ? `${least} to ${most}` : `at most ${most}`}`;
}
