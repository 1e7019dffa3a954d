import { Link } from '@tanstack/react-router';
import type { Client, Job } from '#client/types.gen.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';
import { describeRetries } from '../../parts/jobs/retry-words.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatDuration, formatSetDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';

export function RequestPanel({ job, client }: { job: Job; client: Client | undefined }) {
  const { method, url, body, headers, withheld, idempotencyKey, orderingKey, ordering, expiresAt, timeoutMs } = job;
  // For other endpoints, the page of the client shows the retry rules and timeouts.
  const rules = job.endpoint === defaultEndpoint ? client?.endpoint : undefined;
  const retry = job.retry ?? rules?.retry;
  const timeout = timeoutMs ?? rules?.timeoutMs;
  const within = job.reportWithinSeconds ?? rules?.reportWithinSeconds;
  return (
    <Panel title="Request" footer="Every attempt has the same webhook-id, so a receiver can detect repeats.">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 pt-3 pb-3.5 phone:px-3">
        <dl className="kv [&_dd]:wrap-anywhere">
          <dt>Calls</dt>
          <dd className="mono">
            {method} {url}
          </dd>
          {job.endpoint !== defaultEndpoint && (
            <>
              <dt>Endpoint</dt>
              <dd className="mono">{job.endpoint}</dd>
            </>
          )}
          {idempotencyKey !== null && (
            <>
              <dt>Key</dt>
              <dd className="mono">{idempotencyKey}</dd>
            </>
          )}
          {orderingKey !== null && (
            <>
              <dt>Ordering key</dt>
              <dd>
                <Link
                  className="link underline mono"
                  to="/jobs"
                  search={{ client: client?.name ?? job.clientId, key: orderingKey }}
                >
                  {orderingKey}
                </Link>{' '}
                <span className="t3">{ordering}</span>
              </dd>
            </>
          )}
          {job.priority !== 'normal' && (
            <>
              <dt>Priority</dt>
              <dd>
                {job.priority} <span className="t3">among the due jobs of its client</span>
              </dd>
            </>
          )}
          <dt>Relevant until</dt>
          <dd>{expiresAt === null ? 'it is called' : <Time instant={expiresAt} withSeconds />}</dd>
          {retry && (
            <>
              <dt>Retries</dt>
              <dd>
                {describeRetries(retry)}
                {job.retry === null && <span className="t3"> set by its endpoint</span>}
              </dd>
            </>
          )}
          {timeout !== undefined && (
            <>
              <dt>Time-out</dt>
              <dd>{formatSetDuration(timeout)}</dd>
            </>
          )}
          {within !== undefined && (
            <>
              <dt>After a 202</dt>
              <dd>its receiver reports within {formatDuration(within * 1000)}</dd>
            </>
          )}
        </dl>
        {headers !== null && Object.keys(headers).length > 0 && <Headers headers={headers} />}
        <div className="row">
          <h3>Body</h3>
          {body !== null && <span className="t3 sm">{formatCount(body.length)} characters</span>}
          {job.template && <span className="t3 sm">a template: each call fills in its variables</span>}
          {body !== null && <CopyButton text={body} label="Copy the body" />}
        </div>
        {body === null ? (
          <p className="t3 sm">{withheld ? 'Hidden from the role viewer.' : 'None, or no longer kept.'}</p>
        ) : (
          <pre className="bytes max-h-80" tabIndex={0} aria-label="The body">
            {pretty(body)}
          </pre>
        )}
      </div>
    </Panel>
  );
}

function Headers({ headers }: { headers: NonNullable<Job['headers']> }) {
  return (
    <div>
      <h3 className="mb-1">Headers</h3>
      <dl className="bytes [&_dd]:wrap-anywhere">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name} className="flex flex-wrap gap-x-2">
            <dt>{name}:</dt>
            <dd className={typeof value === 'string' ? '' : 't3'}>
              {typeof value === 'string' ? value : `set, ${countOf(value.length, 'character')}`}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
