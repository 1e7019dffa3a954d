import type { ExactCount } from '#client/types.gen.ts';

/** A term of the sum that starts with the sources and ends with the users. */
export type SignedLine = { sign: '+' | '−'; users: number } & (
  { of: 'include' | 'exclude'; index: number } | { of: 'repeated' | 'elsewhere' }
);

/** Returns the terms of the sum; undefined if the parts are unknown. */
export function signedLines({
  audience: { include, exclude = [] },
  countries,
  parts,
}: Pick<ExactCount, 'audience' | 'countries' | 'parts'>): SignedLine[] | undefined {
  if (parts === null || parts.include.length !== include.length || parts.exclude.length !== exclude.length)
    return undefined;
  return [
    ...parts.include.map((users, index) => ({ sign: '+' as const, of: 'include' as const, index, users })),
    // Terms that are always zero are omitted.
    ...(include.length > 1 ? [{ sign: '−' as const, of: 'repeated' as const, users: parts.repeated }] : []),
    ...parts.exclude.map((users, index) => ({ sign: '−' as const, of: 'exclude' as const, index, users })),
    ...(countries.length > 1 && (include.length > 1 || parts.elsewhere > 0)
      ? [{ sign: '−' as const, of: 'elsewhere' as const, users: parts.elsewhere }]
      : []),
  ];
}

export function sumOf(lines: readonly SignedLine[]): number {
  return lines.reduce((sum, { sign, users }) => (sign === '+' ? sum + users : sum - users), 0);
}
