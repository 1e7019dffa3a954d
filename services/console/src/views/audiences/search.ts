import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

/** Filters for lists and saved audiences that need attention. */
export const audienceChoices = ['bad-lines', 'not-used', 'failed'] as const;

export const audienceKinds = ['list', 'segment', 'saved'] as const;
export type AudienceKind = (typeof audienceKinds)[number];

const kind = z.catch(z.optional(z.enum(audienceKinds)), undefined);

export const audiencesSearch = z.object({
  kind,
  show: z.catch(z.optional(z.enum(audienceChoices)), undefined),
  owner: text,
  text,
  cursor: text,
  /** Id of the audience that is shown beside the list. Default: the first audience in the list. */
  id: text,
  /** Kind of the audience in `id`. Needed for a segment, because its id has no prefix that shows the kind. */
  of: kind,
});

export type AudiencesSearch = z.infer<typeof audiencesSearch>;

/**
 * Returns the search parameters that select an audience. The kind is included only for segments, because their ids have
 * no prefix.
 */
export function selectAudience(
  search: AudiencesSearch,
  { kind: of, id }: { kind: AudienceKind; id: string },
): AudiencesSearch {
  return { ...search, id, of: of === 'segment' ? of : undefined };
}

export function readSelected({ id, of }: AudiencesSearch): { kind: AudienceKind; id: string } | undefined {
  if (id === undefined) return undefined;
  return { id, kind: of ?? (id.startsWith('sav_') ? 'saved' : 'list') };
}
