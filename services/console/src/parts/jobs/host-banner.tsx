import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { enableHost } from '#client/sdk.gen.ts';
import type { Scheduler } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../icon/icon.tsx';
import { Time } from '../times/time.tsx';
import { formatDuration } from '../times/times.ts';
import { countOf, formatRate } from '../words/numbers.ts';
import { defaultEndpoint } from './default-endpoint.ts';

export type SidelinedHost = Scheduler['hosts'][number];

interface HostBannerProps {
  host: SidelinedHost;
  client: string;
  /** Reason why the signed-in key may not resume the host; undefined if the key may. */
  refusal: string | undefined;
  /** Call limit of the client per second; null if there is none, undefined if it is unknown. */
  maxCallsPerSecond?: number | null | undefined;
}

const standings = {
  open: 'Muster retries it automatically, at growing intervals.',
  closing: 'It answers again, and its jobs are being released.',
  disabled: 'Muster does not retry it until a person releases its jobs.',
} as const;

/** Number at which the API stops counting sidelined jobs. */
const mostCounted = 10_000;

/** Banner of a sidelined host. Explains why the host's jobs wait, what happens next, and which other jobs continue. */
export function HostBanner({ host, client, refusal, maxCallsPerSecond }: HostBannerProps) {
  const queries = useQueryClient();
  const { endpoint, state, cause, openedAt, sidelined } = host;
  const whose = endpoint === defaultEndpoint ? client : `${client}/${endpoint}`;
  const bringBack = useMutation({
    mutationFn: () => enableHost({ body: { client: host.clientId, endpoint, host: host.host }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <div className="banner" role="status">
      <Icon name="sideline" />
      <div>
        <b>
          {host.host === '*' ? `All hosts of ${whose} are` : `${host.host} of ${whose} is`} sidelined since{' '}
          <Time instant={openedAt} withSeconds />:
        </b>{' '}
        {cause}.{' '}
        <span className="t2">
          {sidelined >= mostCounted ? `${countOf(mostCounted, 'job')} or more wait` : waiting(sidelined)} for it; all
          other calls continue. {standings[state]}
          {drainWords(sidelined, maxCallsPerSecond)}
        </span>
        {bringBack.isError && (
          <p className="c-bad sm" role="alert">
            {problemOf(bringBack.error).detail}
          </p>
        )}
      </div>
      <div className="acts">
        {state !== 'closing' && (
          <Button
            small
            refusal={refusal}
            disabled={bringBack.isPending}
            title="Its jobs become due at once, without waiting for the next attempt"
            onClick={() => bringBack.mutate()}
          >
            Release now
          </Button>
        )}
        {sidelined > 0 && (
          <Link
            className="btn s whitespace-nowrap"
            to="/jobs"
            search={{ client, state: 'sidelined', endpoint }}
            title={`Sidelined jobs of ${whose}`}
          >
            Its {countOf(Math.min(sidelined, mostCounted), 'job')}
            {sidelined >= mostCounted && ' or more'}
          </Link>
        )}
      </div>
    </div>
  );
}

function waiting(sidelined: number): string {
  return `${countOf(sidelined, 'job')} ${sidelined === 1 ? 'waits' : 'wait'}`;
}

/** Describes the time until all sidelined jobs have been called; empty if it is short or unknown. */
function drainWords(sidelined: number, perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined || sidelined <= perSecond || sidelined >= mostCounted) return '';
  return ` Then they are called at ${formatRate(perSecond)}/s, which takes about ${formatDuration((sidelined / perSecond) * 1000)}.`;
}
