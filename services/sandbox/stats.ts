/** What one batch service has seen since it started; `GET /stats` shows it. Users unless said otherwise. */
export interface ServiceStats {
  /** Calls, the refused ones included. */
  calls: number;
  users: number;
  /** Asked for in a test: answered, without an effect. */
  tested: number;
  applied: number;
  failed: number;
  /** Answered with an earlier result again, without a second effect. */
  repeatsSuppressed: number;
  /** Asked for in a country in which no segment holds them. */
  unexpected: number;
  /** Calls that broke the contract. */
  refused: number;
  /** Calls asked to come again, nothing applied. */
  busy: number;
  /** Calls applied and not answered, or answered 500. */
  answersLost: number;
  /** Calls that a rule of `POST /control` answered. */
  faulty: number;
  /** Questions what became of users. */
  statusQueries: number;
  /** Calls that came while another call of the same key was in flight. */
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
