import { z } from 'zod';
import { canonicalHash } from '../../domain/approval/canonical-hash.ts';
import { countryPattern } from '../../domain/endpoint/shard.ts';
import { audience, type AudienceEntry } from './campaigns.ts';

/**
 * States of an audience count.
 * - `waiting`: a trigger claims the count when it has capacity.
 * - `running`: a trigger pages the sources; if the trigger dies, another one continues after the users counted so far.
 * - `done`, `failed`, `cancelled`: the count has ended.
 */
export const countStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;

export type CountState = (typeof countStates)[number];

/**
 * Maximum number of open counts of one account. Each count reads all users of its segments from the segmentation
 * service.
 */
export const openCountsAtMost = 4;

/** Audience to count: as in a campaign, without a hold-out. */
export const countedAudience = audience.omit({ holdOutPercent: true, holdOutSeed: true });

const country = z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG');

export const countRequest = z
  .strictObject({
    countries: z.array(country).min(1).max(250),
    audience: countedAudience,
    with: countedAudience.optional().describe('A second audience: users in both are counted'),
    recount: z.boolean().default(false).describe('true: counts again even if a result exists'),
  })
  .meta({
    id: 'ExactCountRequest',
    examples: [{ countries: ['SG'], audience: { include: [{ segment: 'lapsed-riders' }] } }],
  });

export const countQuestion = z.object({
  countries: z.array(z.string()),
  audience: countedAudience,
  with: countedAudience.optional(),
});

export type CountQuestion = z.infer<typeof countQuestion>;

const users = z.int().min(0);

/** Contribution of each source of an audience: `include` minus all other fields gives the number of users. */
export const audienceParts = z
  .object({
    include: z.array(users).describe('Users of each source in `include`'),
    repeated: users.describe('Users in several of these sources, counted once for each source after the first'),
    exclude: z
      .array(users)
      .describe('By source of `exclude`: users that it excludes and no earlier source has excluded'),
    elsewhere: users.describe('Users that a source of higher rank assigns to another country'),
  })
  .meta({ id: 'AudienceParts' });

export type AudienceParts = z.infer<typeof audienceParts>;

/** Adds the parts of two countries, or of two pages. Returns null if either is unknown. */
export function sumOfParts(
  one: AudienceParts | null | undefined,
  other: AudienceParts | null | undefined,
): AudienceParts | null {
  if (!one || !other) return null;
  const plus = (some: readonly number[], more: readonly number[]) =>
    some.map((count, place) => count + (more[place] ?? 0));
  return {
    include: plus(one.include, other.include),
    repeated: one.repeated + other.repeated,
    exclude: plus(one.exclude, other.exclude),
    elsewhere: one.elsewhere + other.elsewhere,
  };
}

export const countedCountry = z.object({
  country: z.string(),
  done: z.boolean(),
  users,
  excluded: users.describe('Users in an included and an excluding source'),
  shared: users.describe('Users in several included sources'),
  withUsers: users.nullable().describe('Users of the second audience; null: none was given'),
  both: users.nullable().describe('Users in both audiences; null: only one was given'),
  parts: audienceParts
    .nullable()
    .describe('Composition by source; null for two audiences, or for counts of an earlier version'),
});

export type CountedCountry = z.infer<typeof countedCountry>;

/** A country's count as it is stored: earlier versions stored no parts. */
export type StoredCountry = Omit<CountedCountry, 'parts'> & { parts?: AudienceParts | null };

const time = z.iso.datetime({ precision: 3 });

export const exactCount = z
  .object({
    id: z.string().describe('cnt_…'),
    state: z.enum(countStates),
    cause: z.string().nullable().describe('Reason of the failure, or what the count waits for'),
    ...countQuestion.shape,
    users: users.describe(
      'Sum of all countries counted so far; excluded and shared users are not counted for two audiences',
    ),
    excluded: users,
    shared: users,
    withUsers: users.nullable(),
    both: users.nullable(),
    parts: audienceParts
      .nullable()
      .describe('Sum of all countries counted so far: `users` is `include` minus all others; null: unknown'),
    counted: z.array(countedCountry).describe('By country; countries that are not counted yet are absent'),
    requestedBy: z.string().describe('Owner or name of the key'),
    requestedAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable().describe('Segments are counted by their snapshot at the start of the count'),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'ExactCount' });

export type ExactCount = z.infer<typeof exactCount>;

export interface SegmentSnapshot {
  segment: string;
  country: string;
  snapshot: string;
}

/** Returns the same key for the same question about the same snapshots, whenever a user requests it. */
export function countKeyOf(question: CountQuestion, snapshots: readonly SegmentSnapshot[]): string {
  const segments = new Set(
    snapshots.map(({ segment, country, snapshot }) => JSON.stringify([segment, country, snapshot])),
  );
  const { countries, audience: ownAudience, with: other } = question;
  return canonicalHash({
    countries: countries.toSorted(),
    audience: withoutEmpty(ownAudience),
    ...(other && { with: withoutEmpty(other) }),
    snapshots: [...segments].sort(),
  });
}

/** Removes an empty list of exclusions, because it means the same as an absent list. */
function withoutEmpty({ include, exclude = [] }: z.infer<typeof countedAudience>) {
  return exclude.length === 0 ? { include } : { include, exclude };
}

export function snapshotsOf(
  sources: readonly { entry: AudienceEntry; country: string; snapshot: string | null }[],
): SegmentSnapshot[] {
  return sources.flatMap(({ entry, country, snapshot }) =>
    'segment' in entry && snapshot !== null ? [{ segment: entry.segment, country, snapshot }] : [],
  );
}
