import type { UseQueryResult } from '@tanstack/react-query';
import { memo, useState } from 'react';
import type { ListRunEventsResponse, Problem, RunEvent } from '#client/types.gen.ts';
import { useLastError } from '../../../api/use-last-error.ts';
import { Panel } from '../../../parts/panels/panel.tsx';
import { Failed } from '../../../parts/standing/states.tsx';
import { Time } from '../../../parts/times/time.tsx';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { describeEvent } from '../../../parts/run-events/run-events.ts';

const initialCount = 6;

export function EventsPanel({ query }: { query: UseQueryResult<ListRunEventsResponse, Problem> }) {
  const [isAll, setAll] = useState(false);
  const error = useLastError(query);
  const events = (query.data?.items ?? []).toReversed();
  const visibleEvents = isAll ? events : events.slice(0, initialCount);
  return (
    <Panel
      title="Events"
      padded
      actions={
        events.length > initialCount && (
          <button type="button" className="link sm" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Newest' : `All ${events.length}`}
          </button>
        )
      }
    >
      {error !== null ? (
        <Failed title="The events could not be read" error={error} onRetry={() => void query.refetch()} />
      ) : (
        <div className="log">
          {visibleEvents.map((event) => (
            <LogLine key={event.id} event={event} />
          ))}
        </div>
      )}
    </Panel>
  );
}

/** Line of one event. Memoized, because there may be a thousand events, and a recorded event never changes. */
const LogLine = memo(function LogLine({ event }: { event: RunEvent }) {
  const formatTime = useFormatTime();
  const { who, what, note } = describeEvent(event, formatTime);
  return (
    <>
      <Time instant={event.at} withSeconds />
      <span>
        {who !== null && <b>{who} </b>}
        {what}
        {note !== null && <span className="t2">: {note}</span>}
      </span>
    </>
  );
});
