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

/** Open counts of one account. Each count reads all users of its segments from the segmentation service. */
export const openCountsAtMost = 4;

/** Audience to count: as in a campaign, without a hold-out. */
export const countedAudience = audience.omit({ holdOutPercent: true, holdOutSeed: true });

const country = z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG');

export const countRequest = z
  .strictObject({
    countries: z.array(country).min(1).max(250),
    audience: countedAudience,
    with: countedAudience.optional().describe('Another audience: how many are in both is counted'),
    anew: z.boolean().default(false).describe('Count it although the same was counted before'),
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
    include: z.array(users).describe('By source of `include`: users that it names'),
    repeated: users.describe('Named by several of them: once for each source but the first'),
    exclude: z.array(users).describe('By source of `exclude`: users of it that no source before it has left out'),
    elsewhere: users.describe('Users of another of the countries, where a source that goes before names them'),
  })
  .meta({ id: 'AudienceParts' });

export type AudienceParts = z.infer<typeof audienceParts>;

/** Returns the sum for two countries, or for two pages; null if either is unknown. */
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
  excluded: users.describe('Left out: in one of the included sources, and in one that excludes'),
  shared: users.describe('Of the users, those whom several included sources name'),
  withUsers: users.nullable().describe('Of the other audience; null: there is none'),
  both: users.nullable().describe('In both audiences; null: there is one'),
  parts: audienceParts
    .nullable()
    .describe('How they come from its sources; null: of two audiences, or counted by an earlier version'),
});

export type CountedCountry = z.infer<typeof countedCountry>;

/** A country's count as it is stored: earlier versions stored no parts. */
export type StoredCountry = Omit<CountedCountry, 'parts'> & { parts?: AudienceParts | null };

const time = z.iso.datetime({ precision: 3 });

export const exactCount = z
  .object({
    id: z.string().describe('cnt_…'),
    state: z.enum(countStates),
    cause: z.string().nullable().describe('Why it failed, or what it waits for'),
    ...countQuestion.shape,
    users: users.describe(
      'In all countries, as far as it is counted; excluded and shared of two audiences are not counted',
    ),
    excluded: users,
    shared: users,
    withUsers: users.nullable(),
    both: users.nullable(),
    parts: audienceParts
      .nullable()
      .describe('In all countries, as far as it is counted: `users` are `include` less all others; null: not known'),
    counted: z.array(countedCountry).describe('By country; one that it has not come to is not there'),
    askedBy: z.string().describe('Owner or name of the key'),
    askedAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable().describe('The users of a segment are those of its snapshot at the start'),
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
  const told = new Set(snapshots.map(({ segment, country: of, snapshot }) => JSON.stringify([segment, of, snapshot])));
  const { countries, audience: whom, with: other } = question;
  return canonicalHash({
    countries: countries.toSorted(),
    audience: withoutEmpty(whom),
    ...(other && { with: withoutEmpty(other) }),
    snapshots: [...told].sort(),
  });
}

/** Removes an empty list of exclusions, which is the same question as none. */
function withoutEmpty({ include, exclude = [] }: z.infer<typeof countedAudience>) {
  return exclude.length === 0 ? { include } : { include, exclude };
}

export function snapshotsOf(
  sources: readonly { entry: AudienceEntry; country: string; snapshot: string | null }[],
): SegmentSnapshot[] {
  return sources.flatMap(({ entry, country: of, snapshot }) =>
    'segment' in entry && snapshot !== null ? [{ segment: entry.segment, country: of, snapshot }] : [],
  );
}
