import type { Client } from '#client/types.gen.ts';
import { retryWords } from '../../parts/jobs/retry-words.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatDuration, formatSetDuration } from '../../parts/times/times.ts';
import { countOf } from '../../parts/words/numbers.ts';

export function RulesPanel({ client }: { client: Client }) {
  const { relevancySeconds, keepBodies, endpoint } = client;
  const { retry, timeoutMs, finalCodes, reportWithinSeconds, egress, sideline, onGone, auth, sealPaths } = endpoint;
  return (
    <Panel title="Rules" note="of calls through default, which other endpoints follow" padded>
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>May call</dt>
        <dd>{egress.allow.length === 0 ? 'any public address' : egress.allow.map(ruleWords).join(', ')}</dd>
        <dt>Authorised by</dt>
        <dd>{auth === null ? 'its signature alone' : `${auth.kind}, set`}</dd>
        <dt>Tried again</dt>
        <dd>
          {retryWords(retry)}
          {finalCodes.length > 0 && `; never after ${finalCodes.join(', ')}`}
        </dd>
        <dt>A call takes</dt>
        <dd>{formatSetDuration(timeoutMs)} at most</dd>
        {reportWithinSeconds !== undefined && (
          <>
            <dt>After a 202</dt>
            <dd>its receiver reports within {formatDuration(reportWithinSeconds * 1000)}</dd>
          </>
        )}
        <dt>Relevant for</dt>
        <dd>
          {relevancySeconds === undefined ? 'ever, unless a job says less' : formatDuration(relevancySeconds * 1000)}
        </dd>
        <dt>Sidelined</dt>
        <dd>
          after {countOf(sideline.afterFailures, 'job')} that {sideline.afterFailures === 1 ? 'fails' : 'fail'} at one
          host, tried again every {formatDuration(sideline.probeSeconds * 1000)} at most
        </dd>
        <dt>After a 410</dt>
        <dd>{onGone === 'dead-letter' ? 'the job alone is given up' : 'all jobs of the host are put aside'}</dd>
        <dt>Bodies</dt>
        <dd>
          {keepBodies ? 'kept as long as outcomes' : 'kept until a job ends: it cannot be sent again'}
          {sealPaths && '; paths of URLs are secrets'}
        </dd>
      </dl>
    </Panel>
  );
}

function ruleWords({ host, cidr, port }: Client['endpoint']['egress']['allow'][number]): string {
  const where = [host, cidr].filter((each) => each !== undefined).join(' in ');
  return `${where === '' ? 'any host' : where}${port === undefined ? '' : `:${port}`}`;
}
