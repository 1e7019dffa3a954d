/** Restarts the failure rate of run $1: users that have ended so far, by step, no longer count. */
export const judgeFrom = `
  update runs set failure_baseline = (
    select jsonb_object_agg(step, jsonb_build_object('ended', ended, 'failed', failed))
    from (
      select step, sum(succeeded + failed + unknown) as ended, sum(failed + unknown) as failed
      from feeds join run_totals using (feed) where run = $1 group by step
    ) t
  )
  where id = $1`;
