import { Fragment } from 'react';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import type { Explanation } from './explanation.ts';
import { OutcomeBadge } from './outcome-badge.tsx';

export function OutcomePanel({ explained: { steps } }: { explained: Explanation }) {
  const calls = steps.flatMap(({ attempts }) => attempts.map(({ at }) => Date.parse(at)));
  const tookMs = calls.length < 2 ? 0 : Math.max(...calls) - Math.min(...calls);
  return (
    <Panel title="Outcome" padded>
      <dl className="kv">
        {steps.map(({ step, outcome, reason, receipt }) => (
          <Fragment key={step}>
            <dt>Step {step}</dt>
            <dd>
              <OutcomeBadge outcome={outcome} isPlain />
              {reason !== null && <div className="mono sm t2">{reason}</div>}
            </dd>
            {receipt !== null && (
              <>
                <dt>Receipt</dt>
                <dd>
                  {receipt.status}
                  {receipt.code !== null && <span className="mono sm t2"> {receipt.code}</span>}
                </dd>
              </>
            )}
          </Fragment>
        ))}
        {tookMs > 0 && (
          <>
            <dt>Took</dt>
            <dd>{formatDuration(tookMs)} from the first call to the last</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}
