import type { LiveClock } from './live-clock.ts';
import { createPatches } from './patches.ts';

export interface LiveStreamDeps<Message> {
  /**
   * Opens one stream of several topics. Ends with the stream, throws when it failed.
   * @param heard called with each message; with nothing when the server only says that it is there
   */
  open(topics: readonly string[], heard: (message: Message | undefined) => void, signal: AbortSignal): Promise<void>;
  /** One look at each topic without a stream, while that fails. */
  poll(topics: readonly string[], signal: AbortSignal): Promise<void>;
  topicOf(message: Message): string;
  /** True for the last message of a topic: there is nothing to wait for behind it. */
  isLast(message: Message): boolean;
  /** The newest message of each topic, at most twice a second. */
  onPatch: (messages: readonly Message[]) => void;
  clock: LiveClock;
}

export interface LiveStanding {
  /** When the server was heard last; undefined before it ever was. */
  updatedAtMs: number | undefined;
  /** While it is away: how often it was tried, and when it is tried next. */
  retry: { attempt: number; nextTryAtMs: number } | undefined;
}

export interface LiveStream {
  /** Watches a topic until the returned function is called. Watching one twice costs nothing more. */
  watch: (topic: string) => () => void;
  /** Nobody looks: closes; and opens again when somebody does. */
  setVisible: (visible: boolean) => void;
  /** Does not wait for the next try. */
  tryNow: () => void;
  standing: () => LiveStanding;
  subscribe: (listener: () => void) => () => void;
}

/** A server that says nothing for so long is taken for gone: it says that it is there every two seconds. */
const silenceMs = 10_000;
const firstRetryMs = 1_000;
const maxRetryMs = 30_000;

/**
 * One stream for all that a tab watches. It opens again by itself, later and later; meanwhile each try is a poll too.
 */
export function createLiveStream<Message>(deps: LiveStreamDeps<Message>): LiveStream {
  const watchers = new Map<string, number>();
  const over = new Set<string>();
  const listeners = new Set<() => void>();
  const patches = createPatches(deps);
  let standing: LiveStanding = { updatedAtMs: undefined, retry: undefined };
  let visible = true;
  /** Aborts what is under way, so that the loop begins anew. */
  let round: AbortController | undefined;

  function setStanding(change: Partial<LiveStanding>): void {
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
      const heard = await openOnce(wanted, signal);
      if (isOver()) return;
      if (heard) attempt = 1;
      const waitMs = Math.min(maxRetryMs, firstRetryMs * 2 ** (attempt - 1));
      setStanding({ retry: { attempt, nextTryAtMs: deps.clock.nowMs() + waitMs } });
      const waited = deps.clock.wait(waitMs, signal);
      await pollOnce(wanted, signal);
      await waited;
    }
  }

  /** Returns whether the server was heard at all. */
  async function openOnce(wanted: readonly string[], signal: AbortSignal): Promise<boolean> {
    const stream = new AbortController();
    const both = AbortSignal.any([signal, stream.signal]);
    let heardAtMs: number | undefined;
    const hear = (message: Message | undefined) => {
      if (both.aborted) return;
      heardAtMs = deps.clock.nowMs();
      setStanding({ updatedAtMs: heardAtMs, retry: undefined });
      if (message === undefined) return;
      patches.add(deps.topicOf(message), message);
      if (deps.isLast(message)) endTopic(deps.topicOf(message));
    };
    const silence = endWhenSilent(() => heardAtMs, both).then(() => stream.abort());
    try {
      await Promise.race([deps.open(wanted, hear, both), silence]);
    } catch {
      // Why it failed changes nothing: the next try says whether it still does, and the poll says it to the page.
    } finally {
      stream.abort();
    }
    return heardAtMs !== undefined;
  }

  async function endWhenSilent(heardAtMs: () => number | undefined, signal: AbortSignal): Promise<void> {
    let sinceMs = deps.clock.nowMs();
    while (!signal.aborted) {
      const leftMs = sinceMs + silenceMs - deps.clock.nowMs();
      if (leftMs <= 0) return;
      await deps.clock.wait(leftMs, signal);
      sinceMs = Math.max(sinceMs, heardAtMs() ?? sinceMs);
    }
  }

  async function pollOnce(wanted: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      await deps.poll(wanted, signal);
      if (!signal.aborted) setStanding({ updatedAtMs: deps.clock.nowMs() });
    } catch {
      // The next try is on its way.
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
      // Whoever asks again wants to know again: a run that ended may have been retried since.
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
