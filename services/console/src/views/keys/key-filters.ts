import type { ListApiKeysData } from '#client/types.gen.ts';
import { soonDays, type KeysSearch } from './search.ts';

/** Filter of a chip. Only one chip is chosen at a time. The filters for role and text apply in addition. */
type Standing = Pick<KeysSearch, 'state' | 'kind' | 'used' | 'ends' | 'refused'>;

const noStanding = { state: undefined, kind: undefined, used: undefined, ends: undefined, refused: undefined };

export const noFilters = { ...noStanding, role: undefined, text: undefined, cursor: undefined } satisfies KeysSearch;

interface StandingChip {
  value: string;
  label: string;
  standing: Standing;
  warns?: true;
}

export const standingChips: readonly StandingChip[] = [
  { value: 'all', label: 'All', standing: {} },
  { value: 'keys', label: 'Keys', standing: { kind: 'key' } },
  { value: 'people', label: 'People', standing: { kind: 'person' } },
  { value: 'refused', label: 'Ended, still used', standing: { refused: true }, warns: true },
  { value: 'soon', label: `Ends in ${soonDays} days`, standing: { ends: soonDays }, warns: true },
  { value: 'active', label: 'Active', standing: { state: 'active' } },
  { value: 'expired', label: 'Expired', standing: { state: 'expired' } },
  { value: 'unused', label: 'Never used', standing: { used: false } },
  { value: 'revoked', label: 'Revoked, 30 days', standing: { state: 'revoked' } },
];

/** Returns the chip of the current filter; `all` if no specific chip matches. */
export function findChip(chosen: KeysSearch): string {
  const chip = standingChips.slice(1).find(({ standing }) => isChosen(standing, chosen));
  return chip?.value ?? 'all';
}

function isChosen({ state, kind, used, ends, refused }: Standing, chosen: KeysSearch): boolean {
  return (
    (state !== undefined && state === chosen.state) ||
    (kind !== undefined && kind === chosen.kind) ||
    (used !== undefined && used === chosen.used) ||
    (ends !== undefined && ends === chosen.ends) ||
    (refused !== undefined && refused === chosen.refused)
  );
}

/** Returns the filter of a chip. The filters of all other chips are cleared. */
export function findChipStanding(value: string): Standing {
  return { ...noStanding, ...standingChips.find((chip) => chip.value === value)?.standing };
}

export function hasFilters({ state, kind, used, ends, refused, role, text }: KeysSearch): boolean {
  return [state, kind, used, ends, refused, role, text].some((each) => each !== undefined);
}

export function createKeysQuery({ state, kind, used, ends, refused, role, text, cursor }: KeysSearch) {
  return {
    ...(state !== undefined && { state }),
    ...(kind !== undefined && { kind }),
    ...(used !== undefined && { used: 'false' as const }),
    ...(ends !== undefined && { endsWithinDays: ends }),
    ...(refused !== undefined && { refused: 'true' as const }),
    ...(role !== undefined && { role }),
    ...(text !== undefined && { q: text }),
    ...(cursor !== undefined && { cursor }),
  } satisfies ListApiKeysData['query'];
}

/** Describes the filters: `Expired, role viewer, with “orders” in its name or owner.` */
export function describeFilters({ state, kind, used, ends, refused, role, text }: KeysSearch): string {
  const words = [
    state ?? '',
    kind === undefined ? '' : kind === 'key' ? 'only keys' : 'only people',
    used === undefined ? '' : 'never used',
    ends === undefined ? '' : `ends in ${ends} days`,
    refused === undefined ? '' : 'refused in the last seven days',
    role === undefined ? '' : `role ${role}`,
    text === undefined ? '' : `with “${text}” in its name or owner`,
  ].filter((each) => each !== '');
  const joined = words.join(', ');
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
}
