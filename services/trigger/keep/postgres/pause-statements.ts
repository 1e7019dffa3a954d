export const pausing = `
  select id as "runId", (extract(epoch from now() - state_since) * 1000)::float8 as "forMs" from runs
    where state = 'pausing' and ended_at is null`;

export const settlePause = `
  with r as (
    update runs set state = 'paused', state_since = now(), in_flight = 0 where id = $1 and state = 'pausing'
      returning id
  ), e as (
    insert into run_events (run, kind) select id, 'paused' from r
  )
  select from r`;

export const pauseFor = `
  with r as (
    update runs set state = 'pausing', state_since = now(), state_reason = $2 where id = $1 and state = 'running'
      returning id
  ), e as (
    insert into run_events (run, kind, detail) select id, 'auto-paused', jsonb_build_object('cause', $2::text) from r
  )
  select from r`;

/** Pauses a run because of its canary. Has no effect if a person has already ended the canary by resuming the run. */
export const pauseForCanary = `
  with r as (
    update runs set state = 'pausing', state_since = now(), state_reason = $2, canary = 'waits'
      where id = $1 and state = 'running' and canary = 'serving'
      returning id
  ), e as (
    insert into run_events (run, kind, detail) select id, 'auto-paused', jsonb_build_object('cause', $2::text) from r
  )
  select from r`;

export const endCanary = `
  with r as (
    update runs set canary = 'over' where id = $1 and state = 'running' and canary = 'serving' returning id
  ), e as (
    insert into run_events (run, kind, detail) select id, 'canary-passed', jsonb_build_object('report', $2::text) from r
  )
  select from r`;
