import pLimit from 'p-limit';
import { countKeyOf, snapshotsOf } from '../../../../shared/contracts/campaigns/exact-counts.ts';
import type { AudienceEntry, CampaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../../shared/contracts/warnings.ts';
import { uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { isTerminal } from '../../../../shared/domain/run/run-states.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Segmentation } from '../../../../shared/ports/segmentation.ts';
import type { StoredAudiences } from '../../../../shared/ports/stored-audiences.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { quoted } from '../../frame/http-problem.ts';
import type { EstimatedSource, SourceEstimates, CountedUsers } from './source-estimates.ts';
import { fewUsersWarning } from './estimate-view.ts';

/** Milliseconds that creating or starting a campaign waits for information about the sources of its audience. */
const timeoutMs = 5000;
const maxConcurrentRequests = 16;

export interface EstimateSourcesDeps {
  segmentation: Pick<Segmentation, 'describe'>;
  storedAudiences: Pick<StoredAudiences, 'list' | 'run' | 'countEarlier'>;
  countRequests: ExactCounts;
  clock: Clock;
}

export interface ExactCounts {
  /** Returns the newest finished count with the key, or undefined. */
  done(key: string): Promise<
    | {
        countries: readonly { country: string; users: number }[];
        startedAt: Date | null;
        requestedAt: Date;
      }
    | undefined
  >;
}

type Found =
  | { kind: 'users'; users: number | null; snapshot?: string; warning?: Omit<Warning, 'pointer'> }
  | { kind: 'missing'; field: string; code: string; detail: string };

/**
 * Looks up each source of an audience in each country. A source that does not exist is a problem. A source that does
 * not respond is only a warning, because it may respond when the run begins.
 */
export async function estimateSources(
  definition: Pick<CampaignDefinition, 'audience' | 'countries'>,
  deps: EstimateSourcesDeps,
): Promise<SourceEstimates> {
  const estimatedAt = deps.clock.now();
  const over = new AbortController();
  const answered = new AbortController();
  void deps.clock.sleep(timeoutMs, answered.signal).then(() => over.abort());
  const answers = await pLimit(maxConcurrentRequests).map(placesOf(definition), async (place) => {
    return { place, found: await find(place, deps, over.signal) };
  });
  answered.abort();

  const sources = answers.map(({ place, found }) =>
    found.kind === 'users'
      ? { ...place, users: found.users, snapshot: found.snapshot ?? null }
      : { ...place, users: null, snapshot: null },
  );
  const [problems, warnings] = [problemsOf(answers), warningsOf(answers)];
  const isKnown = problems.length === 0 && warnings.length === 0;
  const counted = isKnown ? await findExactCount(definition, sources, deps) : null;
  return {
    estimatedAt,
    sources,
    counted,
    problems,
    warnings: [
      ...warnings,
      ...emptyCountries(definition.countries, sources),
      ...fewUsersWarning(definition.countries, { estimatedAt, sources, counted }),
    ],
  };
}

/**
 * Returns an exact count of the same sources at the same snapshots, whichever caller requested the count. Returns null
 * if none is stored.
 */
async function findExactCount(
  { countries, audience: { include, exclude } }: Pick<CampaignDefinition, 'audience' | 'countries'>,
  sources: readonly EstimatedSource[],
  { countRequests }: EstimateSourcesDeps,
): Promise<CountedUsers | null> {
  if (sources.length === 0) return null;
  const found = await countRequests.done(
    countKeyOf({ countries, audience: { include, exclude } }, snapshotsOf(sources)),
  );
  if (!found) return null;
  const byCountry = new Map(found.countries.map(({ country, users }) => [country, users]));
  return { at: found.startedAt ?? found.requestedAt, byCountry };
}

type Place = Omit<EstimatedSource, 'users' | 'snapshot'>;

interface Answer {
  place: Place;
  found: Found;
}

function placesOf({ audience, countries }: Pick<CampaignDefinition, 'audience' | 'countries'>): Place[] {
  const placed = (entries: readonly AudienceEntry[], role: Place['role']) =>
    entries.flatMap((entry, index) => countries.map((country) => ({ entry, role, index, country })));
  return [...placed(audience.include, 'include'), ...placed(audience.exclude ?? [], 'exclude')];
}

async function find({ entry, country }: Place, deps: EstimateSourcesDeps, signal: AbortSignal): Promise<Found> {
  if ('segment' in entry) return findSegment(entry.segment, country, deps, signal);
  if ('list' in entry) return findList(entry.list, country, deps);
  return findRun(entry, country, deps);
}

async function findSegment(
  segment: string,
  country: string,
  { segmentation }: EstimateSourcesDeps,
  signal: AbortSignal,
): Promise<Found> {
  const answer = await segmentation.describe(segment, country, signal);
  if (answer.ok) return { kind: 'users', users: answer.value.estimate, snapshot: answer.value.snapshot };
  const { kind, cause } = answer.failure;
  if (kind === 'not-found') {
    return {
      kind: 'missing',
      field: '/segment',
      code: 'unknown-segment',
      detail: `there is no segment ${quoted(segment)}`,
    };
  }
  const detail = `segment ${quoted(segment)} could not be checked (${cause}); it is checked again when the run begins`;
  return { kind: 'users', users: null, warning: { code: 'unverified-segment', detail } };
}

async function findList(id: string, country: string, { storedAudiences }: EstimateSourcesDeps): Promise<Found> {
  const listId = uuidOf('audience', id);
  const list = listId === undefined ? undefined : await storedAudiences.list(listId, country);
  if (list) return { kind: 'users', users: list.users };
  return {
    kind: 'missing',
    field: '/list',
    code: 'unknown-list',
    detail: `there is no list ${quoted(id)} that is ready`,
  };
}

async function findRun(
  { runId: id, outcomes, step }: Extract<AudienceEntry, { runId: string }>,
  country: string,
  { storedAudiences }: EstimateSourcesDeps,
): Promise<Found> {
  const runId = uuidOf('run', id);
  const run = runId === undefined ? undefined : await storedAudiences.run(runId, country);
  const missing = (field: string, code: string, detail: string): Found => ({ kind: 'missing', field, code, detail });
  if (runId === undefined || !run) return missing('/runId', 'unknown-run', `there is no run ${quoted(id)}`);
  const { steps } = run;
  if (step !== undefined && step > steps)
    return missing('/step', 'unknown-step', `${id} has ${steps} steps, and no step ${step}`);
  if (!run.keepsUsers) return missing('/runId', 'users-not-kept', `the users of ${id} are not kept any more`);
  if (outcomes && !run.keepsFailures) {
    return missing('/outcomes', 'users-not-kept', `which users of ${id} ended how is not kept any more`);
  }
  const users = await storedAudiences.countEarlier(runId, country, { steps, outcomes, step });
  if (isTerminal(run.state)) return { kind: 'users', users };
  const detail = `${id} is ${run.state}: a run of this campaign does not begin before it has ended`;
  return { kind: 'users', users: null, warning: { code: 'run-not-ended', detail } };
}

/** Returns one problem for each missing source, whatever the number of countries in which it is missing. */
function problemsOf(answers: readonly Answer[]): FieldProblem[] {
  return byPlace(answers, ({ found }) => (found.kind === 'missing' ? found : null)).map(
    ({ pointer, first: { field, code, detail }, countries, isEverywhere }) => {
      return {
        pointer: `${pointer}${field}`,
        code,
        detail: isEverywhere ? detail : `${detail} in ${listCountries(countries)}`,
      };
    },
  );
}

function warningsOf(answers: readonly Answer[]): Warning[] {
  return byPlace(answers, ({ found }) => (found.kind === 'users' ? (found.warning ?? null) : null)).map(
    ({ pointer, first: { code, detail }, countries, isEverywhere }) => {
      return { pointer, code, detail: isEverywhere ? detail : `in ${listCountries(countries)}: ${detail}` };
    },
  );
}

function byPlace<Kept>(answers: readonly Answer[], keptOf: (answer: Answer) => Kept | null) {
  const groups = Map.groupBy(answers, ({ place: { role, index } }) => `/audience/${role}/${index}`);
  return [...groups].flatMap(([pointer, group]) => {
    const matches = group.flatMap((answer) => keptOf(answer) ?? []);
    const countries = group.filter((answer) => keptOf(answer) !== null).map(({ place }) => place.country);
    const [first] = matches;
    return first === undefined
      ? []
      : [{ pointer, first, countries, isEverywhere: countries.length === group.length && group.length > 1 }];
  });
}

function emptyCountries(countries: readonly string[], sources: readonly EstimatedSource[]): Warning[] {
  return countries.flatMap((country, index) => {
    const included = sources.filter((source) => source.country === country && source.role === 'include');
    if (included.some(({ users }) => users !== 0)) return [];
    return [
      { pointer: `/countries/${index}`, code: 'empty-audience', detail: `the audience has no users in ${country}` },
    ];
  });
}

const maxListed = 5;

export function listCountries(countries: readonly string[]): string {
  const more = countries.length - maxListed;
  return `${countries.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
