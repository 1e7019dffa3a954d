import type { QueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useSyncExternalStore } from 'react';
import { getRunProgressOptions, getRunProgressQueryKey } from '../api/generated/@tanstack/react-query.gen.ts';
import { client } from '../api/generated/client.gen.ts';
import type { RunProgress } from '../api/generated/types.gen.ts';
import { createLiveStream, type LiveClock, type LiveStream } from './live-stream.ts';
import type { Standing } from './staleness.ts';

/** The progress of every run that the page shows, into the cache of its queries, by one stream. */
export function createLiveRuns(queryClient: QueryClient): LiveStream {
  const put = (progress: RunProgress) =>
    queryClient.setQueryData(getRunProgressQueryKey({ path: { id: progress.runId } }), progress);
  const stream = createLiveStream<RunProgress>({
    open: openStream,
    poll: async (runIds, signal) => {
      // Through the cache, which also sees when the session is over.
      const ask = (id: string) =>
        queryClient.query({ ...getRunProgressOptions({ path: { id }, signal }), staleTime: 0 });
      await Promise.all(runIds.map(ask));
    },
    topicOf: ({ runId }) => runId,
    isLast: ({ endedAt }) => endedAt !== null,
    onPatch: (messages) => messages.forEach(put),
    clock: browserClock,
  });
  document.addEventListener('visibilitychange', () => stream.setVisible(!document.hidden));
  return stream;
}

async function openStream(
  [runId = '']: readonly string[],
  heard: (message: RunProgress | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const { stream } = await client.sse.get<Record<string, RunProgress>>({
    url: '/v1/runs/{id}/progress',
    path: { id: runId },
    headers: { accept: 'text/event-stream' },
    signal,
    sseMaxRetryAttempts: 1,
    onSseEvent: ({ event, data }) => heard(event === 'progress' ? data : undefined),
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

/** Keeps the progress of runs fresh while the component is there; it is read by `getRunProgressOptions`. */
export function useLiveRuns(runIds: readonly string[]): Standing {
  const stream = use(LiveRuns);
  if (!stream) throw new Error('live runs are watched outside of their provider');
  const wanted = runIds.join(' ');
  useEffect(() => {
    const leave = wanted === '' ? [] : wanted.split(' ').map((runId) => stream.watch(runId));
    return () => leave.forEach((each) => each());
  }, [stream, wanted]);
  const standing = useSyncExternalStore(stream.subscribe, stream.standing);
  return { ...standing, tryNow: stream.tryNow };
}
