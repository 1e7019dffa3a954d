import { describe, expect, test } from 'vitest';
import { segmentDescription, segmentPage, userPage } from '../../shared/contracts/endpoints/segmentation.ts';
import { createSegmentationService } from './segmentation-service.ts';
import { createSegments } from './segments.ts';

const segments = createSegments(
  [
    { id: 'riders', size: 1000, ids: 'plain' },
    { id: 'odd riders/50%', size: 777, ids: 'odd' },
  ],
  [
    { country: 'SG', weight: 60 },
    { country: 'VN', weight: 40 },
  ],
);
const service = createSegmentationService(segments);

function ask(path: string, query: Record<string, string>) {
  const answer = service.answer(path, new URLSearchParams(query));
  const body: unknown = JSON.parse(answer.body);
  return { status: answer.status, body };
}

function page(segment: string, query: Record<string, string>) {
  const path = `/v1/segments/${encodeURIComponent(segment)}/users`;
  return ask(path, { country: 'SG', snapshot: segments.snapshot, ...query });
}

/** Reads all pages as a caller does, with the encodings of path and query. */
function readAll(segment: string, limit: number): string[][] {
  const pages: string[][] = [];
  let after: string | null = null;
  do {
    const { users, next } = userPage.parse(
      page(segment, { limit: `${limit}`, ...(after === null ? {} : { after }) }).body,
    );
    pages.push(users);
    after = next;
  } while (after !== null);
  return pages;
}

describe('the reference segmentation service', () => {
  test('describes a segment with an exact estimate', () => {
    const { status, body } = ask('/v1/segments/riders', { country: 'VN' });
    expect(status).toBe(200);
    expect(segmentDescription.parse(body)).toEqual({
      id: 'riders',
      country: 'VN',
      estimate: 400,
      snapshot: segments.snapshot,
    });
  });

  test('lists its segments by id, searched by name, by country and in pages', () => {
    const list = (query: Record<string, string>) => segmentPage.parse(ask('/v1/segments', query).body);
    const { segments: all, next } = list({ limit: '1' });
    expect(all).toMatchObject([{ id: 'odd riders/50%', estimate: 777, countries: ['SG', 'VN'] }]);
    expect(list({ limit: '1', after: next ?? '' })).toMatchObject({ segments: [{ id: 'riders' }], next: null });
    expect(list({ search: 'ODD' }).segments.map(({ id }) => id)).toEqual(['odd riders/50%']);
    expect(list({ country: 'VN', search: 'riders' }).segments.at(-1)).toMatchObject({ id: 'riders', estimate: 400 });
    expect(ask('/v1/segments', { limit: '0' }).status).toBe(400);
  });

  test.each([1, 7, 100, 466, 467, 1000])(
    'returns every user of a segment with odd ids once and in order, in pages of %i',
    (limit) => {
      const members = segments.members('odd riders/50%', 'SG');
      const expected = Array.from({ length: members?.size ?? 0 }, (_, index) => members?.at(index));
      const pages = readAll('odd riders/50%', limit);
      expect(pages.flat()).toEqual(expected);
      expect(pages.slice(0, -1).filter((users) => users.length !== limit)).toEqual([]);
    },
  );

  test('continues after a cursor that is not the id of a member', () => {
    expect(userPage.parse(page('riders', { after: 'sg-000000002x', limit: '2' }).body)).toEqual({
      users: ['sg-000000003', 'sg-000000004'],
      next: 'sg-000000004',
    });
  });

  test('returns an empty last page for a country without users', () => {
    expect(ask('/v1/segments/riders', { country: 'ID' }).body).toMatchObject({ estimate: 0 });
    expect(page('riders', { country: 'ID' }).body).toEqual({ users: [], next: null });
  });

  test('answers 410 for another snapshot', () => {
    expect(page('riders', { snapshot: 'yesterday' })).toMatchObject({ status: 410, body: { code: 'snapshot-gone' } });
  });

  test('answers 404 for an unknown segment', () => {
    expect(ask('/v1/segments/nobody', { country: 'SG' })).toMatchObject({ status: 404 });
    expect(page('nobody', {})).toMatchObject({ status: 404, body: { code: 'no-such-segment' } });
  });

  test.each([
    ['a limit of 0', '/v1/segments/riders/users', { country: 'SG', snapshot: 's', limit: '0' }],
    ['a missing snapshot', '/v1/segments/riders/users', { country: 'SG' }],
    ['a missing country', '/v1/segments/riders', {}],
    ['a country in lower case', '/v1/segments/riders', { country: 'sg' }],
  ])('answers 400 for %s', (_name, path, query) => {
    expect(ask(path, query).status).toBe(400);
  });
});
