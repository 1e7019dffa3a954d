import { publicId } from '../../shared/domain/ids/ids.ts';
import type { JobTables } from '../support/memory/job-tables.ts';

interface OrderedJob {
  jobId: string;
  clientId: string;
  key: string;
  isInOrder: boolean;
  dueMs: number;
  acceptedMs: number;
}

/** Time after which a key is certainly advanced, even if its advance at the acceptance was lost. */
const sweptWithinMs = 4000;

/** Checks every call of a job with an ordering key, as its receiver sees the call. */
export interface OrderWitness {
  accepted(job: OrderedJob): void;
  /** Records the beginning of a call. The returned function records its end. */
  begins(webhookId: string): () => void;
}

export function createOrderWitness({ jobs }: Pick<JobTables, 'jobs'>, problems: string[]): OrderWitness {
  const known = new Map<string, OrderedJob & { nth: number }>();
  const underWay = new Map<string, Set<string>>();
  /** A job that is accepted after another may be called later than the other once the other is due. */
  const isBefore = (a: OrderedJob & { nth: number }, b: OrderedJob & { nth: number }) =>
    a.nth < b.nth ? a.dueMs <= b.dueMs : a.dueMs < b.dueMs && a.acceptedMs + sweptWithinMs < b.dueMs;

  return {
    accepted: (job) => {
      known.set(publicId('job', job.jobId), { ...job, nth: known.size });
    },
    begins: (webhookId) => {
      const job = known.get(webhookId);
      if (!job) return () => undefined;
      const name = `${job.clientId} ${job.key}`;
      const others = underWay.get(name) ?? new Set();
      underWay.set(name, others);
      if (others.size > 0) problems.push(`${job.jobId} is called while ${[...others].join()} of its key is`);
      const passed = [...known.values()].find(
        (other) => `${other.clientId} ${other.key}` === name && isBefore(other, job) && jobs.has(other.jobId),
      );
      if (job.isInOrder && passed) problems.push(`${job.jobId} is called before ${passed.jobId} of its key has ended`);
      others.add(job.jobId);
      return () => void others.delete(job.jobId);
    },
  };
}
