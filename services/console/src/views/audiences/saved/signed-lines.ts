import type { ExactCount } from '#client/types.gen.ts';

/** A term of the sum that starts with the sources and ends with the users. */
export type SignedLine = { sign: '+' | '−'; users: number } & (
  { part: 'include' | 'exclude'; index: number } | { part: 'repeated' | 'elsewhere' }
);

/** Returns the terms of the sum; undefined if the parts are unknown. */
export function createSignedLines({
  audience: { include, exclude = [] },
  countries,
  parts,
}: Pick<ExactCount, 'audience' | 'countries' | 'parts'>): SignedLine[] | undefined {
  if (parts === null || parts.include.length !== include.length || parts.exclude.length !== exclude.length)
    return undefined;
  return [
    ...parts.include.map((users, index) => ({ sign: '+' as const, part: 'include' as const, index, users })),
    // This term is always zero for a single source, so it is omitted.
    ...(include.length > 1 ? [{ sign: '−' as const, part: 'repeated' as const, users: parts.repeated }] : []),
    ...parts.exclude.map((users, index) => ({ sign: '−' as const, part: 'exclude' as const, index, users })),
    ...(countries.length > 1 && (include.length > 1 || parts.elsewhere > 0)
      ? [{ sign: '−' as const, part: 'elsewhere' as const, users: parts.elsewhere }]
      : []),
  ];
}

export function sumLines(lines: readonly SignedLine[]): number {
  return lines.reduce((sum, { sign, users }) => (sign === '+' ? sum + users : sum - users), 0);
}
