import { Link } from '@tanstack/react-router';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import type { Explanation } from './explanation.ts';

/** Effects that a cap counted before it suppressed the user, newest first. Empty if no cap did. */
export function CountedPanel({ explained: { steps, userId } }: { explained: Explanation }) {
  const capped = steps.find(({ counted }) => counted !== undefined);
  if (!capped) return null;
  const { counted = [] } = capped;
  return (
    <Panel title="Counted by the cap" note="newest first" padded>
      {counted.length === 0 ? (
        <p className="t2">These effects are no longer kept.</p>
      ) : (
        <ul className="grid gap-2 m-0 p-0 list-none">
          {counted.map(({ runId, campaignName, step, action, at }, index) => (
            // Several campaigns that the key may not read can have the same step and time.
            <li key={index}>
              <div className="wrap-anywhere">
                {runId === null ? (
                  'Another campaign'
                ) : (
                  <Link className="link" to="/runs/$runId/users/$userId" params={{ runId, userId }}>
                    {plainText(campaignName ?? runId)}
                  </Link>
                )}
              </div>
              <div className="t2 sm">
                Step {step}, {titleOf(action)} · <Time instant={at} withDay />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
