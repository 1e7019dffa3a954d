import type { Campaign, CampaignPatchInput } from '#client/types.gen.ts';

export interface AboutForm {
  description: string;
  owner: string;
  /** Tags separated by blanks or commas. */
  tags: string;
  /** One pair per line: `ticket=MKT-1204`. */
  metadata: string;
}

export function createAboutForm({ description = '', owner = '', tags = [], metadata = {} }: Campaign): AboutForm {
  const lines = Object.entries(metadata).map(([key, value]) => `${key}=${value}`);
  return { description, owner, tags: tags.join(' '), metadata: lines.join('\n') };
}

/** Returns the changed fields. Null removes an emptied field. */
export function findAboutChanges(before: AboutForm, form: AboutForm): CampaignPatchInput {
  const { description, owner, tags, metadata } = form;
  const named = tags.split(/[\s,]+/).filter((tag) => tag !== '');
  const pairs = metadata.split('\n').flatMap((line) => (line.trim() === '' ? [] : [pairOf(line)]));
  return {
    ...(description !== before.description && { description: description.trim() === '' ? null : description }),
    ...(owner !== before.owner && { owner: owner.trim() === '' ? null : owner }),
    ...(tags !== before.tags && { tags: named.length === 0 ? null : named }),
    ...(metadata !== before.metadata && { metadata: pairs.length === 0 ? null : Object.fromEntries(pairs) }),
  };
}

/** Splits a line of metadata into key and value. A line without `=` is a key with an empty value. */
function pairOf(line: string): [string, string] {
  const equals = line.indexOf('=');
  if (equals < 0) return [line.trim(), ''];
  return [line.slice(0, equals).trim(), line.slice(equals + 1).trim()];
}
