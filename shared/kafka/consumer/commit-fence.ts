/** Keeps a commit of offsets within the assignment of partitions in which it began. */
export interface CommitFence {
  /** Runs one commit, one at a time. */
  run(commit: () => Promise<void>): Promise<void>;
  /** The group has assigned partitions anew. */
  onJoined(): void;
  /** False if partitions were assigned anew since the commit under way began. */
  readonly isCurrent: boolean;
}

export function createCommitFence(): CommitFence {
  let joins = 0;
  /** The value of `joins` when the commit under way began; undefined without one. */
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
