import type { PoolConfig } from 'pg';

/** What each session of a pool is told. Times in ms. */
export interface SessionSettings {
  statement_timeout: number;
  idle_in_transaction_session_timeout: number;
  /** Settings of the planner. */
  planning: Readonly<Record<string, string>>;
}

/**
 * How it is told: as the connection begins, which costs nothing. A pooler refuses that or leaves it out; one in session
 * mode (`?pooler=session`) is told by a statement, which each new connection waits for.
 */
export function toldSession(isPooled: boolean, { planning, ...timeouts }: SessionSettings): PoolConfig {
  if (!isPooled) {
    const options = Object.entries(planning).map(([name, value]) => `-c ${name}=${value}`);
    return { ...timeouts, ...(options.length > 0 && { options: options.join(' ') }) };
  }
  const settings = Object.entries({ ...timeouts, ...planning });
  const names = settings.map(([name]) => name);
  const values = settings.map(([, value]) => String(value));
  return {
    verify: (client, done) => {
      const text = `select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s (name, value)`;
      client.query(text, [names, values]).then(() => done(), done);
    },
  };
}
