import { largestPage } from '../../shared/contracts/endpoints/segmentation.ts';
import { idsOf } from '../../shared/domain/ids/page-users.ts';
import { findDisorder } from '../../shared/domain/ids/user-id.ts';
import type { Segmentation, SegmentationFailure, SegmentList } from '../../shared/ports/segmentation.ts';
import { broken, kept, type Findings } from './endpoint-check.ts';
import type { CheckResult, Verdict } from './verdict.ts';

export interface SegmentationTerms {
  /** Base URL before `/v1/segments`. */
  url: string;
  country: string;
  /** Segment to read; by default the first one in the list. */
  segment: string | undefined;
}

type Played = Segmentation & SegmentList;

const never = new AbortController().signal;
/** Segments of a page. Small, so that even a list of three has a second page. */
const listedAtOnce = 2;
const listPages = 3;
const pagesChecked = 2;
const usersPerPage = 1000;

/** Checks a segmentation service: its list, if it has one, and the pages of a segment. */
export async function judgeSegmentation(terms: SegmentationTerms, service: Played): Promise<Verdict> {
  const checks: CheckResult[] = [];
  const add = (name: string, title: string, { problems, notes = [] }: Findings) =>
    checks.push({ name, title, passed: problems.length === 0, problems, notes });

  const listed = await playList(service);
  add('segment-list', 'the list of segments, page by page, or 404 or 501 where there is none', listed.findings);
  const segment = terms.segment ?? listed.first;
  if (segment === undefined) {
    const notes = ['no segment was paged: it lists none, and --segment names none'];
    return { url: terms.url, class: 'segmentation', passed: isPassed(checks), checks, notes };
  }
  const described = await service.describe(segment, terms.country, never);
  if (!described.ok) {
    add('description', `the description of ${segment} in ${terms.country}`, broken(wordsOf(described.failure)));
  } else {
    const { estimate, snapshot } = described.value;
    add('description', `the description of ${segment} in ${terms.country}`, kept([`estimate: ${estimate ?? 'none'}`]));
    add(
      'pages',
      'its first pages, in strictly ascending byte order',
      await playPages(service, segment, terms, snapshot),
    );
  }
  return { url: terms.url, class: 'segmentation', passed: isPassed(checks), checks, notes: [] };
}

function isPassed(checks: readonly CheckResult[]): boolean {
  return checks.every(({ passed }) => passed);
}

async function playList(service: Played): Promise<{ findings: Findings; first?: string | undefined }> {
  const seen: string[] = [];
  let after: string | null = null;
  for (let page = 1; page <= listPages; page++) {
    const answer: Awaited<ReturnType<SegmentList['list']>> = await service.list({ after, limit: listedAtOnce }, never);
    if (!answer.ok && answer.failure.kind === 'not-found' && page === 1)
      return {
        findings: kept(['offers no list of segments: people have to know their ids, or take those used before']),
      };
    if (!answer.ok) return { findings: broken(wordsOf(answer.failure)), first: seen[0] };
    const { segments, next } = answer.value;
    const problems = [
      ...(segments.length > listedAtOnce ? [`a page of at most ${listedAtOnce} has ${segments.length} segments`] : []),
      ...segments.flatMap(({ id }) => (seen.includes(id) ? [`${JSON.stringify(id)} stands in two pages`] : [])),
      ...(segments.length === 0 && next !== null ? ['a page that is not the last one is empty'] : []),
    ];
    if (problems.length > 0) return { findings: broken(...problems), first: seen[0] };
    seen.push(...segments.map(({ id }) => id));
    after = next;
    if (next === null) break;
  }
  return { findings: await playSearch(service, seen), first: seen[0] };
}

async function playSearch(service: Played, [first]: readonly string[]): Promise<Findings> {
  if (first === undefined) return kept(['the list is empty']);
  const answer = await service.list({ search: first, after: null, limit: 100 }, never);
  if (!answer.ok) return broken(`searched for ${JSON.stringify(first)}: ${wordsOf(answer.failure)}`);
  if (answer.value.segments.some(({ id }) => id === first)) return kept();
  return broken(`a search for the id ${JSON.stringify(first)} does not find it`);
}

async function playPages(
  service: Played,
  segment: string,
  { country }: SegmentationTerms,
  snapshot: string,
): Promise<Findings> {
  let after: string | null = null;
  for (let page = 1; page <= pagesChecked; page++) {
    const request = { segment, country, snapshot, after, limit: usersPerPage };
    const answer: Awaited<ReturnType<Segmentation['page']>> = await service.page(request, never);
    if (!answer.ok) return broken(wordsOf(answer.failure));
    const { users, next, maxLimit } = answer.value;
    if (users.length > usersPerPage) return broken(`a page of at most ${usersPerPage} has ${users.length} users`);
    if (findDisorder(idsOf(users), after) >= 0) return broken('a page is not in strictly ascending byte order');
    if (next === null) return kept(notesOf(maxLimit));
    if (next !== users.at(-1)) return broken('next is not the last user of its page');
    after = next;
    if (page === pagesChecked) return kept(notesOf(maxLimit));
  }
  return kept();
}

function notesOf(maxLimit: number | undefined): string[] {
  return maxLimit === undefined || maxLimit < largestPage
    ? [`says no maxLimit of ${largestPage.toLocaleString('en-US')} or more: larger pages would cost both sides less`]
    : [];
}

function wordsOf({ cause }: SegmentationFailure): string {
  return cause;
}
