import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

/** What is to be looked at, of lists and of saved audiences. */
export const audienceChoices = ['bad-lines', 'not-used', 'failed'] as const;

export const audienceKinds = ['list', 'segment', 'saved'] as const;
export type AudienceKind = (typeof audienceKinds)[number];

const kind = z.catch(z.optional(z.enum(audienceKinds)), undefined);

export const audiencesSearch = z.object({
  /** Those of one kind. */
  kind,
  show: z.catch(z.optional(z.enum(audienceChoices)), undefined),
  /** Lists and saved audiences of it. */
  owner: text,
  text,
  cursor: text,
  /** The one that is shown beside the list; the first one where none is said. */
  id: text,
  /** What that is, where its id does not say so. */
  of: kind,
});

export type AudiencesSearch = z.infer<typeof audiencesSearch>;

/** Where one of the list is shown: a segment may be called as it likes. */
export function shownIn(
  search: AudiencesSearch,
  { kind: of, id }: { kind: AudienceKind; id: string },
): AudiencesSearch {
  return { ...search, id, of: of === 'segment' ? of : undefined };
}

/** What the address says is shown. */
export function shownOf({ id, of }: AudiencesSearch): { kind: AudienceKind; id: string } | undefined {
  if (id === undefined) return undefined;
  return { id, kind: of ?? (id.startsWith('sav_') ? 'saved' : 'list') };
}
