import type { RunProgress } from '../../../shared/contracts/runs/runs.ts';
import { isTerminal } from '../../../shared/domain/run/run-states.ts';
import { holdsEveryCampaign, type CampaignScope } from '../../../shared/domain/scopes.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { mergeSources } from '../frame/merge-sources.ts';
import type { CampaignLists } from '../campaigns/parts.ts';
import { campaignCountsView } from '../campaigns/campaign-list-view.ts';
import type { CampaignWatch } from './watch-campaigns.ts';
import type { RunWatch } from '../runs/watch-run.ts';

export interface LiveEventsDeps {
  watch: Pick<RunWatch, 'followAll'>;
  campaignWatch: Pick<CampaignWatch, 'follow'>;
  campaignLists: Pick<CampaignLists, 'counts'>;
  clock: Clock;
}

type Lines = 'all' | 'steps';

export interface LiveRequest {
  /** Progress of the runs at the time of the request. */
  runs: ReadonlyMap<string, RunProgress>;
  withCampaigns: boolean;
  /** Campaigns that the reader may see; only these are counted. */
  within: CampaignScope;
  /** Parts of each progress that are sent; `steps` omits the countries. */
  lines: Lines;
  /**
   * Time in milliseconds up to which the reader has received all events. Runs that had ended by then are skipped. Null
   * if the reader has received no events.
   */
  sentUpToMs: number | null;
}

/**
 * Interval of heartbeats in milliseconds. A reader that receives nothing for longer knows that the stream is broken.
 */
const beatMs = 2000;

/**
 * Streams changes as server-sent events. The stream ends when the signal aborts. A stream without campaigns also ends
 * when all its runs have ended.
 */
export async function* liveEvents(
  request: LiveRequest,
  deps: LiveEventsDeps,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const beating = beats(deps.clock, ended);
  const updates = [
    runEvents(request, deps, ended),
    ...(request.withCampaigns ? [campaignEvents(request, deps, ended)] : []),
  ];
  try {
    yield* mergeSources(updates, beating);
  } finally {
    over.abort();
  }
}

async function* runEvents({ runs, sentUpToMs, lines }: LiveRequest, { watch }: LiveEventsDeps, signal: AbortSignal) {
  const wanted = [...runs].filter(
    ([, { endedAt }]) => sentUpToMs === null || !endedAt || Date.parse(endedAt) > sentUpToMs,
  );
  for (const [, progress] of wanted) yield textOf(progress, lines);
  for await (const news of watch.followAll(new Map(wanted), beatMs, signal)) {
    const text = news.map((progress) => textOf(progress, lines)).join('');
    if (text !== '') yield text;
  }
}

async function* campaignEvents(
  { within }: LiveRequest,
  { campaignWatch, campaignLists }: LiveEventsDeps,
  signal: AbortSignal,
) {
  for await (const all of campaignWatch.follow(signal)) {
    const counts = holdsEveryCampaign(within) ? all : await campaignLists.counts({ within });
    yield event('campaigns', campaignCountsView(counts));
  }
}

async function* beats(clock: Clock, signal: AbortSignal) {
  while (!signal.aborted) {
    yield ': here\n\n';
    await clock.sleep(beatMs, signal);
  }
}

/** Serialized progress, cached for all readers. */
const texts: Readonly<Record<Lines, WeakMap<RunProgress, string>>> = { all: new WeakMap(), steps: new WeakMap() };

function textOf(progress: RunProgress, lines: Lines): string {
  const text =
    texts[lines].get(progress) ?? written(progress, lines === 'all' ? progress : { ...progress, countries: [] });
  texts[lines].set(progress, text);
  return text;
}

/**
 * Serializes a progress as events. Only the event `end` has an id, because a reader that reconnects may skip a run only
 * after it has received the end of the run.
 */
function written({ runId, state, asOf }: RunProgress, progress: RunProgress): string {
  const id = String(Date.parse(asOf));
  if (!isTerminal(state)) return event('progress', progress, id);
  return event('progress', progress) + event('end', { runId, state }, id);
}

function event(name: string, body: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(body)}\n\n`;
}
