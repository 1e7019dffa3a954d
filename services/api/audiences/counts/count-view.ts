import {
  sumOfParts,
  type ExactCount,
  type AudienceParts,
  type CountedCountry,
  type StoredCountry,
} from '../../../../shared/contracts/campaigns/exact-counts.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { CountRecord } from './postgres/count-requests.ts';

export function countView({ countId, question, countries, ...record }: CountRecord): ExactCount {
  const { state, cause, requestedBy, requestedAt, startedAt, endedAt } = record;
  const id = publicId('audienceCount', countId);
  const sum = (field: 'users' | 'excluded' | 'shared') => countries.reduce((all, line) => all + line[field], 0);
  const sumOfTwo = (field: 'withUsers' | 'both') =>
    question.with ? countries.reduce((all, line) => all + (line[field] ?? 0), 0) : null;
  return {
    id,
    state,
    cause,
    ...question,
    users: sum('users'),
    excluded: sum('excluded'),
    shared: sum('shared'),
    withUsers: sumOfTwo('withUsers'),
    both: sumOfTwo('both'),
    parts: partsOfAll(countries),
    counted: countries.map(lineOf),
    requestedBy,
    requestedAt: requestedAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
    links: { self: `/v1/audiences/exact-counts/${id}` },
  };
}

function partsOfAll(countries: readonly StoredCountry[]): AudienceParts | null {
  const [first, ...others] = countries.map(({ parts }) => parts ?? null);
  return others.reduce<AudienceParts | null>((sum, parts) => sumOfParts(sum, parts), first ?? null);
}

function lineOf(line: StoredCountry): CountedCountry {
  const { country, done, users, excluded, shared, withUsers, both, parts = null } = line;
  return { country, done, users, excluded, shared, withUsers, both, parts };
}
