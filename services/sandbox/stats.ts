/** Counts of one batch service since its start, shown by `GET /stats`. They count users unless noted. */
export interface ServiceStats {
  /** Calls, refused ones included. */
  calls: number;
  users: number;
  /** Users in tests, answered without an effect. */
  tested: number;
  applied: number;
  failed: number;
  /** Users answered with an earlier result, without a second effect. */
  repeatsSuppressed: number;
  /** Users that were called in a country in which no segment contains them. */
  unexpected: number;
  /** Calls that broke the contract. */
  refused: number;
  /** Calls answered with a request to retry, nothing applied. */
  busy: number;
  /** Calls applied and not answered, or answered 500. */
  answersLost: number;
  /** Calls that a rule of `POST /control` answered. */
  faulty: number;
  statusQueries: number;
  /** Number of calls that arrived while another call with the same key was in flight. */
  overlapping: number;
}

export function emptyServiceStats(): ServiceStats {
  return {
    calls: 0,
    users: 0,
    tested: 0,
    applied: 0,
    failed: 0,
    repeatsSuppressed: 0,
    unexpected: 0,
    refused: 0,
    busy: 0,
    answersLost: 0,
    faulty: 0,
    statusQueries: 0,
    overlapping: 0,
  };
}
