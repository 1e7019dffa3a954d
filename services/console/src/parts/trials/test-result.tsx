import { Link } from '@tanstack/react-router';
import { hasEnded } from '../standing/state-looks.ts';
import { StateBadge } from '../standing/state-badge.tsx';
import { Time } from '../times/time.tsx';
import { formatCount } from '../words/numbers.ts';
import { describeRealEffects } from './test-banner.tsx';
import type { NewestReport } from './use-newest-report.ts';

/** Result of a campaign's newest test. Real effects come first. */
export function TestResult({ report, isOld }: NewestReport) {
  const { runId, state, startedAt, scheduledFor, steps, audience, variants, failures } = report;
  const through = steps.at(-1)?.succeeded ?? 0;
  return (
    <div className={isOld ? 'grid gap-1.5 t3' : 'grid gap-1.5'}>
      {variants.map(({ name }) => (
        <p key={name} className="sm wrap-anywhere">
          Variant <b>{name}</b>
        </p>
      ))}
      <p className="wrap-anywhere">
        <b>{describeRealEffects(report)}</b>
      </p>
      <div className="row flex-wrap">
        <StateBadge state={state} />
        <span>
          {formatCount(through)} of {formatCount(audience.counted)} through the chain
        </span>
        <span className="t3 sm">
          <Time instant={startedAt ?? scheduledFor} />
          {isOld && `, of revision ${report.revision}, not the current one`}
        </span>
      </div>
      {failures.map(({ step, country, reason, users, sample }) => (
        <p key={`${step} ${country} ${reason}`} className={isOld ? 'sm wrap-anywhere' : 'sm c-bad wrap-anywhere'}>
          {formatCount(users)} failed in step {step}: {reason} ({sample.join(', ')}
          {users > sample.length && ', …'})
        </p>
      ))}
      <Link className="link" to={hasEnded(state) ? '/runs/$runId/report' : '/runs/$runId'} params={{ runId }}>
        {hasEnded(state) ? 'Report' : 'Watch'}
      </Link>
    </div>
  );
}
