/** Restricts a commit of offsets to the assignment of partitions in which it began. */
export interface CommitFence {
  /** Runs one commit at a time. */
  run(commit: () => Promise<void>): Promise<void>;
  /** Reports that the group has assigned partitions anew. */
  onJoined(): void;
  /** False if partitions were assigned anew since the current commit began. */
  readonly isCurrent: boolean;
}

export function createCommitFence(): CommitFence {
  let joins = 0;
  let begunAt: number | undefined;

  return {
    run: async (commit) => {
      begunAt = joins;
      try {
        await commit();
      } finally {
        begunAt = undefined;
      }
    },
    onJoined: () => {
      joins += 1;
    },
    get isCurrent() {
      return begunAt === undefined || begunAt === joins;
    },
  };
}
