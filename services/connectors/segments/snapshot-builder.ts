import type { Clock } from '../../../shared/ports/clock.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { Source } from '../databases/source.port.ts';
import { connectorsMetrics } from '../report/metrics.ts';
import { createMemberRules, namedProblems } from './member-rules.ts';
import { BrokenRowsError, failureOf } from './segment-failure.ts';
import type { SegmentSettings } from './segment-settings.ts';
import type { Claim, Counts, Member, SnapshotFailure, SnapshotStore } from './snapshot-store.port.ts';

export interface SnapshotBuilderDeps {
  store: SnapshotStore;
  /** Databases by name. */
  sources: ReadonlyMap<string, Source>;
  /** Lease in milliseconds. If a builder does not renew it in time, another builder may take over. */
  leaseMs: number;
  clock: Clock;
  meter: Meter;
  logger: Logger;
}

/** Copies the rows of segments into snapshots. Only one builder at a time works on a snapshot. */
export interface SnapshotBuilder {
  /**
   * Starts to build the snapshot, unless another builder works on it or no try is due. Resolves when this is decided,
   * not when the snapshot is built.
   */
  begin(segment: SegmentSettings, id: string): Promise<void>;
  /** Ends all copying, and releases the snapshots so that another builder may begin at once. */
  stop(): Promise<void>;
}

/** Rows that are written together, while the next rows are read. */
const writtenRows = 20_000;

const lost = 'another builder has taken over';
const stopped = 'the process was stopped';

export function createSnapshotBuilder(deps: SnapshotBuilderDeps): SnapshotBuilder {
  const { store, sources, leaseMs, clock, meter, logger } = deps;
  const snapshots = meter.counter(connectorsMetrics.snapshots);
  const copied = meter.counter(connectorsMetrics.copied);
  const building = new Set<Promise<void>>();
  const stopping = new AbortController();
  meter.gauge({ ...connectorsMetrics.building, collect: (gauge) => gauge.of({}).set(building.size) });

  async function build(segment: SegmentSettings, claim: Claim): Promise<void> {
    const began = clock.monotonicMs();
    const ending = new AbortController();
    const end = () => ending.abort(stopped);
    stopping.signal.addEventListener('abort', end, { once: true });
    const lease = keepLease(claim, ending);
    const facts = { segment: segment.id, snapshot: claim.id, epoch: claim.epoch };
    try {
      await store.createMembers(claim);
      const counts = await copy(segment, claim, ending.signal);
      if (!(await store.finish(claim, counts))) ending.abort(lost);
      ending.signal.throwIfAborted();
      const users = [...counts.values()].reduce((sum, count) => sum + count, 0);
      logger.info({ ...facts, users, tookMs: Math.round(clock.monotonicMs() - began) }, 'snapshot is ready');
      snapshots.of({ segment: segment.id, result: 'ready' }).add();
    } catch (error) {
      const failure: SnapshotFailure = ending.signal.aborted
        ? { cause: String(ending.signal.reason), isRefused: false, retryInMs: 0 }
        : failureOf(segment, error);
      const result = failure.cause === lost ? 'lost' : failure.isRefused ? 'refused' : 'failed';
      logger.warn({ ...facts, cause: failure.cause }, 'snapshot was not built');
      snapshots.of({ segment: segment.id, result }).add();
      await store.fail(claim, failure).catch((err: unknown) => {
        logger.warn({ ...facts, err }, 'could not record why a snapshot was not built, its lease will expire');
      });
    } finally {
      stopping.signal.removeEventListener('abort', end);
      ending.abort();
      await lease;
    }
  }

  /**
   * Renews the lease, and aborts the copying if another builder has taken over. If the store does not answer, the
   * copying itself fails.
   */
  async function keepLease(claim: Claim, ending: AbortController): Promise<void> {
    for (;;) {
      await clock.sleep(leaseMs / 3, ending.signal);
      if (ending.signal.aborted) return;
      if (!(await store.renew(claim, leaseMs).catch(() => true))) ending.abort(lost);
    }
  }

  async function copy(segment: SegmentSettings, claim: Claim, signal: AbortSignal): Promise<Counts> {
    const source = sources.get(segment.database);
    if (!source) throw new Error(`there is no database ${segment.database}`);
    const rules = createMemberRules(segment.onDuplicates);
    const written = copied.of({ segment: segment.id });
    let waiting: Member[] = [];
    let writing = Promise.resolve();
    const write = async () => {
      await writing;
      const members = waiting;
      waiting = [];
      writing = store.addMembers(claim, members).then(() => written.add(members.length));
      // A rejection is reported when the next write, or the end, awaits it. Without this listener it would end the
      // process.
      writing.catch(() => undefined);
    };
    try {
      for await (const rows of source.rows(segment.query, signal)) {
        signal.throwIfAborted();
        for (const member of rules.admit(rows)) waiting.push(member);
        if (rules.problems.length === namedProblems) break;
        if (waiting.length >= writtenRows) await write();
      }
      if (rules.problems.length > 0) throw new BrokenRowsError(rules.problems);
      await write();
      await writing;
      return rules.counts;
    } finally {
      await writing.catch(() => undefined);
    }
  }

  return {
    begin: async (segment, id) => {
      if (stopping.signal.aborted) return;
      const claim = await store.claim(id, leaseMs);
      if (!claim) return;
      const task = build(segment, claim).finally(() => building.delete(task));
      building.add(task);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(building);
    },
  };
}
