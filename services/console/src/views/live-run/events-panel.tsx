import type { UseQueryResult } from '@tanstack/react-query';
import { memo, useState } from 'react';
import type { ListRunEventsResponse, Problem, RunEvent } from '#client/types.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { eventWords } from '../../parts/words/event-words.ts';

const shownAtFirst = 6;

export function EventsPanel({ query }: { query: UseQueryResult<ListRunEventsResponse, Problem> }) {
  const [isAll, setAll] = useState(false);
  const error = useKeptError(query);
  const events = (query.data?.items ?? []).toReversed();
  const shown = isAll ? events : events.slice(0, shownAtFirst);
  return (
    <Panel
      title="Events"
      padded
      actions={
        events.length > shownAtFirst && (
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
          {shown.map((event) => (
            <LogLine key={event.id} event={event} />
          ))}
        </div>
      )}
    </Panel>
  );
}

/** Memoized: there may be a thousand events, and none changes. */
const LogLine = memo(function LogLine({ event }: { event: RunEvent }) {
  const formatTime = useFormatTime();
  const { who, what, note } = eventWords(event, formatTime);
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
