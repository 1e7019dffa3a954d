import type { Trial } from './trial.ts';

export interface StoredJob {
  installation: string;
  id: string;
  client: string;
  partition: number;
  /** Microseconds since 1970. */
  due: string;
}

/** Jobs that have not ended and are to be called once more. */
export async function storedJobs({ database }: Pick<Trial, 'database'>): Promise<StoredJob[]> {
  return await database.rows<StoredJob>(`
    select i.id as installation, j.id, j.client, j.partition_id as partition,
      (extract(epoch from j.due_at) * 1000000)::bigint as due
    from installation i, jobs j where j.due_at < 'infinity'`);
}

/** A message with one reference, as a scheduler writes it. */
export function referenceTo({ installation, client, partition, due, id }: StoredJob): object {
  return { installation, clients: [client], jobs: [[partition, Number(due), id, 0]] };
}
