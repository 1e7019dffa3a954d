import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import type { Explanation } from './explanation.ts';
import { listCallKeys } from './call-keys.ts';

/** Idempotency keys, which the endpoint's team can search for in its logs. */
export function EndpointTeamPanel({ explained }: { explained: Explanation }) {
  const keys = listCallKeys(explained);
  if (keys.length === 0) return null;
  return (
    <Panel title="Keys for the endpoint’s team" note="Idempotency-Key" padded>
      <dl className="kv sm grid-cols-[52px_minmax(0,1fr)] items-start">
        {keys.map(({ step, key }) => (
          <div key={key} className="contents">
            <dt>Step {step}</dt>
            <dd className="row gap-1">
              <span className="mono wrap-anywhere" title={key}>
                {key}
              </span>
              <CopyButton text={key} label={`Copy a key of step ${step}`} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
