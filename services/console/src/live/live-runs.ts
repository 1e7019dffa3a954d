import { queryOptions, skipToken, useQueries, type QueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useSyncExternalStore } from 'react';
import {
  countCampaignsQueryKey,
  getRunProgressOptions,
  getRunProgressQueryKey,
  listCampaignsQueryKey,
} from '#client/@tanstack/react-query.gen.ts';
import { client } from '#client/client.gen.ts';
import type { CampaignCounts, RunProgress } from '#client/types.gen.ts';
import { campaignsTopic, isFinalMessage, linesFor, parseLiveMessage, type LiveMessage } from './live-messages.ts';
import type { LiveClock } from './live-clock.ts';
import { createLiveStream, type LiveStream } from './live-stream.ts';
import type { UpdateStatus } from './update-status.ts';

/** Creates the stream that keeps the cached queries of the page current. */
export function createLiveRuns(queryClient: QueryClient): LiveStream {
  const refreshCampaigns = () =>
    Promise.all(
      [listCampaignsQueryKey(), countCampaignsQueryKey()].map(([{ _id }]) =>
        queryClient.invalidateQueries(
          { predicate: ({ queryKey }) => idOf(queryKey[0]) === _id },
          { throwOnError: true },
        ),
      ),
    );
  const put = (message: LiveMessage) => {
    if ('progress' in message) {
      const { progress, isWhole } = message;
      const key = isWhole
        ? getRunProgressQueryKey({ path: { id: progress.runId } })
        : listedProgressKey(progress.runId);
      queryClient.setQueryData(key, progress);
    } else {
      // Only the server can compute the new list. If this request fails, the list shows the failure itself.
      void refreshCampaigns().catch(() => undefined);
    }
  };
  const stream = createLiveStream<LiveMessage>({
    open: openStream,
    poll: async (topics, signal) => {
      // Requested through the cache, which detects the end of the session.
      const ask = async (id: string) => {
        const progress = await queryClient.query({ ...getRunProgressOptions({ path: { id }, signal }), staleTime: 0 });
        queryClient.setQueryData(listedProgressKey(id), progress);
      };
      await Promise.all(topics.map((topic) => (topic === campaignsTopic ? refreshCampaigns() : ask(topic))));
    },
    topicOf: ({ topic }) => topic,
    isLast: isFinalMessage,
    onPatch: (messages) => messages.forEach(put),
    clock: browserClock,
  });
  document.addEventListener('visibilitychange', () => stream.setVisible(!document.hidden));
  return stream;
}

/**
 * Returns the key of the progress in lists. It differs from the key of a run's page, because the countries are missing.
 */
function listedProgressKey(runId: string) {
  return ['listed progress', runId] as const;
}

function idOf(part: unknown): unknown {
  return typeof part === 'object' && part !== null && '_id' in part ? part._id : undefined;
}

async function openStream(
  topics: readonly string[],
  onMessage: (message: LiveMessage | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const runs = topics.filter((topic) => topic !== campaignsTopic);
  const lines = linesFor(topics);
  const { stream } = await client.sse.get<Record<string, RunProgress | CampaignCounts>>({
    url: '/v1/live',
    query: { runs: runs.join(','), campaigns: String(topics.includes(campaignsTopic)), lines },
    headers: { accept: 'text/event-stream' },
    signal,
    // Turns off the retries of the generated client, because the live stream retries and polls itself and shows its
    // attempts.
    sseMaxRetryAttempts: 1,
    onSseEvent: ({ event, data }) => onMessage(event === undefined ? undefined : parseLiveMessage(event, data, lines)),
  });
  for await (const _ of stream);
}

const browserClock: LiveClock = {
  nowMs: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
    }),
};

export const LiveRuns = createContext<LiveStream | undefined>(undefined);

/** Keeps the progress of runs current while the component is mounted. Read it with `getRunProgressOptions`. */
export function useLiveRuns(runIds: readonly string[]): UpdateStatus {
  return useLiveTopics(runIds);
}

export function useLiveCampaigns(runIds: readonly string[]): UpdateStatus {
  return useLiveTopics([campaignsTopic, ...runIds]);
}

/**
 * Returns the last progress that the stream has sent to a list, without countries. Sends no request.
 * @returns progress by the id of the run; runs without a message are missing
 */
export function useListedProgress(runIds: readonly string[]): ReadonlyMap<string, RunProgress> {
  const known = useQueries({
    queries: [...new Set(runIds)].map((id) =>
      queryOptions<RunProgress>({ queryKey: listedProgressKey(id), queryFn: skipToken }),
    ),
  });
  return new Map(known.flatMap(({ data }) => (data ? [[data.runId, data] as const] : [])));
}

function useLiveTopics(topics: readonly string[]): UpdateStatus {
  const stream = use(LiveRuns);
  if (!stream) throw new Error('live runs are watched outside of their provider');
  const wanted = topics.join(' ');
  useEffect(() => {
    const leave = wanted === '' ? [] : wanted.split(' ').map((topic) => stream.watch(topic));
    return () => leave.forEach((each) => each());
  }, [stream, wanted]);
  const standing = useSyncExternalStore(stream.subscribe, stream.standing);
  return { ...standing, tryNow: stream.tryNow };
}
