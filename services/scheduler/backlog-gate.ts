/** Above so many seconds of work on the topic no crowd is put there any more; below half of it, again. */
const highSeconds = 10;
/** So much may always lie there: nobody knows how fast dispatchers are that had nothing to do. */
const floorJobs = 100_000;

export interface Backlog {
  /** Jobs on the topic that nobody has claimed; null while that is unknown. */
  jobs: number | null;
  /** Jobs that the region's dispatchers get through, as they said last. */
  perSecond: number;
}

/**
 * Keeps the topic short, so that what is cancelled, moved or expired meanwhile need not be read from it. While it is closed, every client still
 * gets a floor.
 */
export interface BacklogGate {
  readonly isClosed: boolean;
  /** Seconds of work on the topic; null while unknown. */
  readonly seconds: number | null;
  update(backlog: Backlog): void;
}

export function createBacklogGate(): BacklogGate {
  let isClosed = false;
  let seconds: number | null = null;
  return {
    get isClosed() {
      return isClosed;
    },
    get seconds() {
      return seconds;
    },
    update: ({ jobs, perSecond }) => {
      seconds = jobs === null ? null : jobs === 0 ? 0 : jobs / perSecond;
      // What is unknown stops nobody: the sweep is bounded, and Kafka is down anyway.
      if (jobs === null || seconds === null) isClosed = false;
      else if (isClosed) isClosed = seconds >= highSeconds / 2 && jobs >= floorJobs / 2;
      else isClosed = seconds > highSeconds && jobs > floorJobs;
    },
  };
}
