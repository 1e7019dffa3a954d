import { z } from 'zod';
import { countryPattern } from '../../shared/domain/endpoint/shard.ts';
import type { SegmentDescription, SegmentPage, UserPage } from '../../shared/contracts/endpoints/segmentation.ts';
import type { HttpAnswer } from './wire/http-answer.ts';
import type { Members, Segments } from './segments.ts';

export const maxPageUsers = 10_000;

const pageQuery = z.object({
  snapshot: z.string(),
  after: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(maxPageUsers).default(1000),
});

const maxListed = 200;

const listQuery = z.object({
  country: z.string().regex(countryPattern).optional(),
  search: z.string().optional(),
  after: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(maxListed).default(100),
});

export interface SegmentationStats {
  lists: number;
  descriptions: number;
  pages: number;
  users: number;
}

export interface SegmentationService {
  readonly stats: Readonly<SegmentationStats>;
  /** @param path below the base, from `/v1/` on */
  answer(path: string, query: URLSearchParams): HttpAnswer;
}

const segmentPath = /^\/v1\/segments\/([^/]+)(\/users)?$/;

/** @param maxLimit limit that pages of users announce, if any */
export function createSegmentationService(segments: Segments, maxLimit?: number): SegmentationService {
  const stats: SegmentationStats = { lists: 0, descriptions: 0, pages: 0, users: 0 };

  function answer(path: string, query: URLSearchParams): HttpAnswer {
    if (path === '/v1/segments') return list(query);
    const [, encoded, users] = segmentPath.exec(path) ?? [];
    if (encoded === undefined) return problem(404, 'not-found', 'there is nothing here');
    const country = query.get('country') ?? '';
    if (!countryPattern.test(country)) return problem(400, 'bad-country', 'country has to be two capital letters');
    const id = decode(encoded);
    const members = id === undefined ? undefined : segments.members(id, country);
    if (id === undefined || !members) return problem(404, 'no-such-segment', `there is no segment ${encoded}`);
    return users === undefined ? describe(id, country, members) : page(members, query);
  }

  function list(query: URLSearchParams): HttpAnswer {
    const parsed = listQuery.safeParse(Object.fromEntries(query));
    if (!parsed.success) return problem(400, 'bad-query', wordsOf(parsed.error));
    const { country, search = '', after = '', limit } = parsed.data;
    stats.lists++;
    const found = segments
      .list(country)
      .filter(({ id }) => id > after && id.toLowerCase().includes(search.toLowerCase()));
    const page = found.slice(0, limit);
    return ok({ segments: page, next: found.length > limit ? (page.at(-1)?.id ?? null) : null });
  }

  function describe(id: string, country: string, members: Members): HttpAnswer {
    stats.descriptions++;
    return ok({ id, country, estimate: members.size, snapshot: segments.snapshot });
  }

  function page(members: Members, query: URLSearchParams): HttpAnswer {
    const parsed = pageQuery.safeParse(Object.fromEntries(query));
    if (!parsed.success) {
      return problem(400, 'bad-query', wordsOf(parsed.error));
    }
    const { snapshot, after, limit } = parsed.data;
    if (snapshot !== segments.snapshot) return problem(410, 'snapshot-gone', `there is no snapshot ${snapshot}`);
    const answer = pageOf(members, after, limit);
    stats.pages++;
    stats.users += answer.users.length;
    return ok(maxLimit === undefined ? answer : { ...answer, maxLimit });
  }

  return { stats, answer };
}

function pageOf(members: Members, after: string | undefined, limit: number): UserPage {
  const first = after === undefined ? 0 : members.countUpTo(after);
  const count = Math.min(limit, members.size - first);
  const users = Array.from({ length: count }, (_, i) => members.at(first + i));
  const isLast = first + count === members.size;
  return { users, next: isLast ? null : (users.at(-1) ?? null) };
}

function wordsOf({ issues }: z.ZodError): string {
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

/** Returns undefined if the percent-encoding is invalid. */
function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function ok(value: SegmentDescription | SegmentPage | UserPage): HttpAnswer {
  return { status: 200, body: JSON.stringify(value) };
}

function problem(status: number, code: string, message: string): HttpAnswer {
  return { status, body: JSON.stringify({ code, message }) };
}
