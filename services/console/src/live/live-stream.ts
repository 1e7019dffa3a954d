import type { LiveClock } from './live-clock.ts';
import { createPatches } from './patches.ts';

export interface LiveStreamDeps<Message> {
  /**
   * Opens one stream of several topics. Resolves when the stream ends, rejects if it fails.
   * @param onMessage called with each message; with undefined for a heartbeat
   */
  open(
    topics: readonly string[],
    onMessage: (message: Message | undefined) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Reads each topic once, while the stream is down. */
  poll(topics: readonly string[], signal: AbortSignal): Promise<void>;
  topicOf(message: Message): string;
  /** Returns true for the last message of a topic, after which the topic is closed. */
  isLast(message: Message): boolean;
  /** Called with the newest message of each topic, at most twice a second. */
  onPatch: (messages: readonly Message[]) => void;
  clock: LiveClock;
}

export interface StreamStatus {
  /** Time of the server's last message; undefined before the first. */
  updatedAtMs: number | undefined;
  /** Number of attempts, and the time of the next, while the stream is down; undefined otherwise. */
  retry: { attempt: number; nextTryAtMs: number } | undefined;
}

export interface LiveStream {
  /** Watches a topic until the returned function is called. Several watchers of a topic share one subscription. */
  watch: (topic: string) => () => void;
  /** Closes the stream when the page is hidden, and opens it when the page is visible again. */
  setVisible: (visible: boolean) => void;
  tryNow: () => void;
  standing: () => StreamStatus;
  subscribe: (listener: () => void) => () => void;
}

/** Silence in milliseconds after which the server counts as gone. It sends a heartbeat every two seconds. */
const silenceMs = 10_000;
const firstRetryMs = 1_000;
const maxRetryMs = 30_000;

/** Creates the one stream of a tab. After a failure it reopens with growing delays, and polls meanwhile. */
export function createLiveStream<Message>(deps: LiveStreamDeps<Message>): LiveStream {
  const watchers = new Map<string, number>();
  const over = new Set<string>();
  const listeners = new Set<() => void>();
  const patches = createPatches(deps);
  let standing: StreamStatus = { updatedAtMs: undefined, retry: undefined };
  let visible = true;
  /** Aborts the current attempt, so that the loop starts again. */
  let round: AbortController | undefined;

  function setStanding(change: Partial<StreamStatus>): void {
    standing = { ...standing, ...change };
    for (const listener of listeners) listener();
  }

  function topics(): string[] {
    return [...watchers.keys()].filter((topic) => !over.has(topic)).sort();
  }

  function begin(): void {
    round?.abort();
    round = undefined;
    if (!visible || topics().length === 0) return;
    round = new AbortController();
    void keepOpen(topics(), round.signal);
  }

  async function keepOpen(wanted: readonly string[], signal: AbortSignal): Promise<void> {
    const isOver = () => signal.aborted;
    for (let attempt = 1; !isOver(); attempt += 1) {
      const hasReceived = await openOnce(wanted, signal);
      if (isOver()) return;
      if (hasReceived) attempt = 1;
      const waitMs = Math.min(maxRetryMs, firstRetryMs * 2 ** (attempt - 1));
      setStanding({ retry: { attempt, nextTryAtMs: deps.clock.nowMs() + waitMs } });
      const waited = deps.clock.wait(waitMs, signal);
      await pollOnce(wanted, signal);
      await waited;
    }
  }

  /** Returns true if the server has sent anything. */
  async function openOnce(wanted: readonly string[], signal: AbortSignal): Promise<boolean> {
    const stream = new AbortController();
    const both = AbortSignal.any([signal, stream.signal]);
    let receivedAtMs: number | undefined;
    const receive = (message: Message | undefined) => {
      if (both.aborted) return;
      receivedAtMs = deps.clock.nowMs();
      setStanding({ updatedAtMs: receivedAtMs, retry: undefined });
      if (message === undefined) return;
      patches.add(deps.topicOf(message), message);
      if (deps.isLast(message)) endTopic(deps.topicOf(message));
    };
    const silence = endWhenSilent(() => receivedAtMs, both).then(() => stream.abort());
    try {
      await Promise.race([deps.open(wanted, receive, both), silence]);
    } catch {
      // The cause does not matter: the next attempt shows whether it persists, and the poll reports it to the page.
    } finally {
      stream.abort();
    }
    return receivedAtMs !== undefined;
  }

  async function endWhenSilent(readReceivedAtMs: () => number | undefined, signal: AbortSignal): Promise<void> {
    let sinceMs = deps.clock.nowMs();
    while (!signal.aborted) {
      const leftMs = sinceMs + silenceMs - deps.clock.nowMs();
      if (leftMs <= 0) return;
      await deps.clock.wait(leftMs, signal);
      sinceMs = Math.max(sinceMs, readReceivedAtMs() ?? sinceMs);
    }
  }

  async function pollOnce(wanted: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      await deps.poll(wanted, signal);
      if (!signal.aborted) setStanding({ updatedAtMs: deps.clock.nowMs() });
    } catch {
      // The error is ignored, because the loop retries.
    }
  }

  function endTopic(topic: string): void {
    over.add(topic);
    if (topics().length === 0) queueMicrotask(begin);
  }

  function leave(topic: string): void {
    const count = (watchers.get(topic) ?? 1) - 1;
    if (count > 0) watchers.set(topic, count);
    else watchers.delete(topic);
    if (count === 0) begin();
  }

  return {
    watch: (topic) => {
      const count = watchers.get(topic) ?? 0;
      watchers.set(topic, count + 1);
      // A topic is watched again, even if it was closed: a run that ended may have been retried since.
      if (count === 0) over.delete(topic);
      if (count === 0) begin();
      let watching = true;
      return () => {
        if (watching) leave(topic);
        watching = false;
      };
    },
    setVisible: (next) => {
      if (next === visible) return;
      visible = next;
      begin();
    },
    tryNow: begin,
    standing: () => standing,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
