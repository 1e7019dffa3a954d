import { plainText } from '../../parts/words/plain-text.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getScheduleOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { isDraft } from '../../parts/standing/state-looks.ts';
import { LookBadge, StateBadge } from '../../parts/standing/state-badge.tsx';
import { Time } from '../../parts/times/time.tsx';
import { StartTime } from '../../parts/when/start-time.tsx';

export function CampaignHead({ campaign }: { campaign: Campaign }) {
  const { id, name, state, revision, createdAt, archivedAt, nextRunAt, startsAt, origin, schedule } = campaign;
  return (
    <div>
      <div className="row flex-wrap">
        <h1>{plainText(name)}</h1>
        <StateBadge state={state} tinted />
        {campaign.scheduleId !== null && <PausedScheduleBadge scheduleId={campaign.scheduleId} />}
      </div>
      <div className="meta">
        {nextRunAt !== null && (
          <span>
            Next run{' '}
            <b>
              <StartTime instant={nextRunAt} schedule={schedule} />
            </b>
          </span>
        )}
        {nextRunAt === null && isDraft(state) && startsAt !== null && (
          <span>
            Would start{' '}
            <b>
              <StartTime instant={startsAt} schedule={schedule} />
            </b>
          </span>
        )}
        <span>
          Revision <b>{revision}</b>
        </span>
        <span>
          Created <b>{<Time instant={createdAt} />}</b>
        </span>
        {origin !== null && 'templateId' in origin && (
          <span>
            From{' '}
            <Link className="link" to="/templates">
              revision {origin.revision} of a template
            </Link>
          </span>
        )}
        {origin !== null && 'campaignId' in origin && (
          <span>
            Copied from{' '}
            <Link className="link" to="/campaigns/$campaignId" params={{ campaignId: origin.campaignId }}>
              revision {origin.revision} of another campaign
            </Link>
          </span>
        )}
        {archivedAt !== null && (
          <span>
            Archived <b>{<Time instant={archivedAt} />}</b>
          </span>
        )}
        <CopyableId id={id} what="id of the campaign" />
      </div>
    </div>
  );
}

const pausedScheduleLook = { icon: 'paused', word: 'Schedule paused', tone: 'warn' } as const;

/**
 * Badge of a paused schedule. Needed because the state of the campaign remains `scheduled` while its schedule is
 * paused.
 */
function PausedScheduleBadge({ scheduleId }: { scheduleId: string }) {
  const schedule = useQuery(getScheduleOptions({ path: { id: scheduleId } }));
  return schedule.data?.state === 'paused' ? <LookBadge look={pausedScheduleLook} tinted /> : null;
}
