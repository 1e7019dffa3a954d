import type { Campaign } from '../../sdk/generated/types.gen.ts';
import { oneLine } from './text.ts';

/** Describes a part of an audience, such as `segment lapsed-riders` or `failed users of run_…, step 2`. */
export function entryText(entry: Campaign['audience']['include'][number]): string {
  if ('segment' in entry) return `segment ${oneLine(entry.segment)}`;
  if ('list' in entry) return `list ${oneLine(entry.list)}`;
  const { runId, outcomes, step } = entry;
  const which = outcomes === undefined ? 'users' : `${outcomes.join(' or ')} users`;
  return `${which} of ${oneLine(runId)}${step === undefined ? '' : `, step ${step}`}`;
}

/** Describes the sources of an audience, such as `segment riders, list aud_…, without segment staff`. */
export function sourcesText({ include, exclude = [] }: Pick<Campaign['audience'], 'include' | 'exclude'>): string {
  const without = exclude.length === 0 ? '' : `, without ${exclude.map(entryText).join(', ')}`;
  return `${include.map(entryText).join(', ')}${without}`;
}
