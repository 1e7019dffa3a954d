import { useState, type ReactNode } from 'react';
import type { RunEvent } from '../../api/generated/types.gen.ts';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { useFormatTime } from '../../parts/zone.ts';
import { eventWords } from './event-words.ts';

const shownAtFirst = 6;

/** What became of the run, the newest first. */
export function EventsPanel({ events }: { events: readonly RunEvent[] }) {
  const [all, setAll] = useState(false);
  const formatTime = useFormatTime();
  const newestFirst = events.toReversed();
  const shown = all ? newestFirst : newestFirst.slice(0, shownAtFirst);
  return (
    <Panel
      title="Events"
      padded
      actions={
        events.length > shownAtFirst && (
          <button type="button" className="link sm" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Newest' : `All ${events.length}`}
          </button>
        )
      }
    >
      {events.length === 0 ? (
        <p className="t3 sm">Nothing has happened yet.</p>
      ) : (
        <div className="log">
          {shown.map((event) => {
            const { who, what, note } = eventWords(event, formatTime);
            return (
              <LogLine key={event.id} at={event.at}>
                {who !== null && <b>{who} </b>}
                {what}
                {note !== null && <span className="t2">: {note}</span>}
              </LogLine>
            );
          })}
        </div>
      )}
    </Panel>
  );
}

function LogLine({ at, children }: { at: string; children: ReactNode }) {
  return (
    <>
      <Time instant={at} withSeconds />
      <span>{children}</span>
    </>
  );
}
