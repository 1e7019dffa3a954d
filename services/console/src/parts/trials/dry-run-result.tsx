import { Link } from '@tanstack/react-router';
import { hasEnded } from '../standing/state-looks.ts';
import { StateBadge } from '../standing/state-badge.tsx';
import { Time } from '../times/time.tsx';
import { countOf, formatCount } from '../words/numbers.ts';
import { formatExpectedDuration } from '../campaign/arithmetic.ts';
import type { NewestReport } from './use-newest-report.ts';
import { withTitles } from '../words/action-titles.ts';

/** Result of a campaign's newest dry run: the users who would complete its chain. */
export function DryRunResult({ report, isOld }: NewestReport) {
  const { runId, state, stateReason, startedAt, scheduledFor, steps, audience, variants, forecast } = report;
  const through = steps.at(-1)?.succeeded ?? 0;
  const [listed = 0, atCap = 0] = ['muster.suppression-list', 'muster.cap'].map((each) =>
    report.failures.reduce((sum, { reason, users }) => sum + (reason === each ? users : 0), 0),
  );
  return (
    <div className={isOld ? 'grid gap-1.5 t3' : 'grid gap-1.5'}>
      <p className="wrap-anywhere">
        <b>{formatCount(through)}</b> of {countOf(audience.counted, 'user')} would complete the chain
        {!hasEnded(state) && ' so far'}
        {audience.excluded > 0 && <>; {formatCount(audience.excluded)} are excluded</>}.
      </p>
      {(listed > 0 || atCap > 0) && (
        <p className="sm">
          Suppressed: {formatCount(listed)} on a suppression list, {formatCount(atCap)} at a cap.
        </p>
      )}
      {variants.length > 0 && (
        <p className="sm wrap-anywhere">
          Variants, counted: {variants.map(({ name, users }) => `${name} ${formatCount(users)}`).join(' · ')}
        </p>
      )}
      {forecast && <p className="sm">{formatExpectedDuration(forecast.takesSeconds)}</p>}
      <div className="row flex-wrap">
        <StateBadge state={state} />
        <span className="t3 sm">
          <Time instant={startedAt ?? scheduledFor} />
          {isOld && `, of revision ${report.revision}, not the current one`}
        </span>
      </div>
      {stateReason !== null && <p className="sm wrap-anywhere">{withTitles(stateReason)}</p>}
      <Link className="link" to={hasEnded(state) ? '/runs/$runId/report' : '/runs/$runId'} params={{ runId }}>
        {hasEnded(state) ? 'Report' : 'Watch'}
      </Link>
    </div>
  );
}
