import type { Client } from '#client/types.gen.ts';
import { describeRetries } from '../../parts/jobs/retry-words.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatDuration, formatSetDuration } from '../../parts/times/times.ts';
import { countOf } from '../../parts/words/numbers.ts';

export function RulesPanel({ client }: { client: Client }) {
  const { relevancySeconds, keepBodies, endpoint } = client;
  const { retry, timeoutMs, finalCodes, reportWithinSeconds, egress, sideline, onGone, auth, sealPaths } = endpoint;
  return (
    <Panel title="Rules" note="for calls through default; other endpoints inherit them" padded>
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>May call</dt>
        <dd>{egress.allow.length === 0 ? 'any public address' : egress.allow.map(formatRule).join(', ')}</dd>
        <dt>Authorised by</dt>
        <dd>{auth === null ? 'signature only' : `${auth.kind}, set`}</dd>
        <dt>Retries</dt>
        <dd>
          {describeRetries(retry)}
          {finalCodes.length > 0 && `; never after ${finalCodes.join(', ')}`}
        </dd>
        <dt>Time-out</dt>
        <dd>{formatSetDuration(timeoutMs)}</dd>
        {reportWithinSeconds !== undefined && (
          <>
            <dt>After a 202</dt>
            <dd>its receiver reports within {formatDuration(reportWithinSeconds * 1000)}</dd>
          </>
        )}
        <dt>Relevant for</dt>
        <dd>
          {relevancySeconds === undefined ? 'no limit, unless a job has one' : formatDuration(relevancySeconds * 1000)}
        </dd>
        <dt>Sidelined</dt>
        <dd>
          after {countOf(sideline.afterFailures, 'job')} that {sideline.afterFailures === 1 ? 'fails' : 'fail'} at one
          host, tried again every {formatDuration(sideline.probeSeconds * 1000)} at most
        </dd>
        <dt>After a 410</dt>
        <dd>{onGone === 'dead-letter' ? 'the job is dead' : 'all jobs of the host are sidelined'}</dd>
        <dt>Bodies</dt>
        <dd>
          {keepBodies ? 'kept as long as outcomes' : 'kept until a job ends, so it cannot be sent again'}
          {sealPaths && '; URL paths are secret'}
        </dd>
      </dl>
    </Panel>
  );
}

function formatRule({ host, cidr, port }: Client['endpoint']['egress']['allow'][number]): string {
  const where = [host, cidr].filter((each) => each !== undefined).join(' in ');
  return `${where === '' ? 'any host' : where}${port === undefined ? '' : `:${port}`}`;
}
