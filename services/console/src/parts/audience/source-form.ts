import type { CampaignDefinitionInput, ListedAudience, SavedAudience } from '#client/types.gen.ts';

export const outcomes = ['succeeded', 'failed', 'skipped', 'suppressed', 'expired', 'cancelled', 'unknown'] as const;
export type EarlierOutcome = (typeof outcomes)[number];

export type SourceForm =
  | { kind: 'segment'; segment: string }
  | { kind: 'list'; list: string }
  | { kind: 'run'; runId: string; outcomes: readonly EarlierOutcome[]; step: number | null };

type Entry = CampaignDefinitionInput['audience']['include'][number];

export function entryOf(source: SourceForm): Entry {
  switch (source.kind) {
    case 'segment':
      return { segment: source.segment };
    case 'list':
      return { list: source.list };
    case 'run':
      return {
        runId: source.runId,
        ...(source.outcomes.length === 0 ? {} : { outcomes: [...source.outcomes] }),
        ...(source.step === null ? {} : { step: source.step }),
      };
  }
}

export function sourceOf(entry: Entry): SourceForm {
  if ('segment' in entry) return { kind: 'segment', segment: entry.segment };
  if ('list' in entry) return { kind: 'list', list: entry.list };
  const { runId, outcomes: named = [], step = null } = entry;
  return { kind: 'run', runId, outcomes: outcomes.filter((outcome) => named.includes(outcome)), step };
}

/** A saved audience whose sources a campaign copies. */
export type CopiedAudience = Pick<SavedAudience, 'id' | 'revision' | 'countries' | 'audience'>;

/** Returns undefined for a list or a segment. */
export function copiedAudienceOf({ id, revision, countries, audience }: ListedAudience): CopiedAudience | undefined {
  return revision === null || audience === null ? undefined : { id, revision, countries: countries ?? [], audience };
}

/** Returns the sources of a saved audience, which is recorded only if the form can express them exactly. */
export function copySources({ id, revision, audience }: Pick<CopiedAudience, 'id' | 'revision' | 'audience'>) {
  const { include, exclude = [] } = audience;
  const entries = [...include, ...exclude];
  const isSame = JSON.stringify(entries.map(sourceOf).map(entryOf)) === JSON.stringify(entries);
  return {
    include: include.map(sourceOf),
    exclude: exclude.map(sourceOf),
    savedAudience: isSame ? { id, revision } : null,
  };
}
